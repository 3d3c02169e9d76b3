// On every page of `make serve`: loads it again when pages were made, and shows what is wrong.

let shown;
setInterval(async () => {
  const { number, problem } = await (await fetch("/news.json")).json();
  if (shown && number !== shown) location.reload();
  const box = Object.assign(document.createElement("pre"), { textContent: problem });
  box.style = `position: fixed; z-index: 9999; inset: auto 0 0; max-height: 50%; overflow: auto;
    margin: 0; padding: 1em; white-space: pre-wrap; color: white; background: darkred`;
  if (!shown && problem) document.body.append(box);
  shown = number;
}, 500);
