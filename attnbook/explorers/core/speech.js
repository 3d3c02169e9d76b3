// What assistive technology hears.

import { nothing, render } from "./lit.js";

const REST = 400; // milliseconds without a step, after which the sentence is spoken
const FORGET = 5000; // and after which it is there only once for who reads on

// The headline changes at every step; assistive technology hears it once the hand has rested.
export function speaking(root) {
  let before = "";
  let timer = 0;
  const speak = (words) => render(words, root.querySelector("[role=status]"));
  return {
    say(headline) {
      const text = headline.textContent;
      if (before === text) return;
      const isFirst = before === "";
      before = text;
      if (isFirst) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        const said = headline.cloneNode(true);
        // Its text, and of which language it is.
        for (const item of said.querySelectorAll(":not([lang])"))
          item.replaceWith(...item.childNodes);
        said.normalize();
        speak([...said.childNodes].filter((node) => node.nodeType !== Node.COMMENT_NODE));
        timer = setTimeout(() => speak(nothing), FORGET);
      }, REST);
    },
    stop: () => clearTimeout(timer),
  };
}
