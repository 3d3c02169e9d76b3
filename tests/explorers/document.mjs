// For lit-html, which asks for a document where it is loaded. Import it before any script.
globalThis.document ??= { createTreeWalker() {}, createComment() {} };
