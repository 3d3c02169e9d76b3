// @ts-check
/** The editor of a cell: CodeMirror with the classes, and so the colours, of the book's code. */
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
  isolateHistory,
} from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import {
  HighlightStyle,
  LanguageSupport,
  bracketMatching,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
  syntaxTree,
} from "@codemirror/language";
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, drawSelection, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The classes that Pygments writes (book/sphinx/styles.py has their colours).
const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "k" },
  { tag: tags.operatorKeyword, class: "ow" },
  { tag: tags.moduleKeyword, class: "kn" },
  { tag: tags.operator, class: "o" },
  { tag: tags.derefOperator, class: "n" }, // the dot of an attribute
  { tag: tags.string, class: "s2" },
  { tag: tags.special(tags.string), class: "si" },
  { tag: tags.comment, class: "c1" },
  { tag: tags.number, class: "mi" },
  { tag: [tags.bool, tags.null], class: "kc" },
  { tag: tags.function(tags.definition(tags.variableName)), class: "nf" },
  { tag: tags.definition(tags.className), class: "nc" },
  { tag: tags.meta, class: "nd" },
]);

// Pygments knows the names that Python brings; the grammar of the editor does not.
const BROUGHT =
  /^(abs|all|any|bool|callable|dict|divmod|enumerate|filter|float|format|getattr|hasattr|hash|help|id|input|int|isinstance|issubclass|iter|len|list|locals|globals|map|max|min|next|object|open|pow|print|range|repr|reversed|round|set|setattr|slice|sorted|str|sum|super|tuple|type|vars|zip)$/;
const brought = Decoration.mark({ class: "nb" });

/** @param {EditorView} view */
function markBrought(view) {
  /** @type {import("@codemirror/state").Range<Decoration>[]} */
  const marks = [];
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        if (node.name === "VariableName" && BROUGHT.test(view.state.sliceDoc(node.from, node.to))) {
          marks.push(brought.range(node.from, node.to));
        }
      },
    });
  }
  return Decoration.set(marks);
}
const names = ViewPlugin.define(
  (view) => ({
    marks: markBrought(view),
    /** @param {import("@codemirror/view").ViewUpdate} update */
    update({ docChanged, viewportChanged }) {
      if (docChanged || viewportChanged) this.marks = markBrought(view);
    },
  }),
  { decorations: ({ marks }) => marks },
);

/** @type {import("@codemirror/state").StateEffectType<number>} */
const markLine = StateEffect.define();
const offending = Decoration.line({ class: "run-offends" });
/** The line that an error is about, until the text changes. */
const mark = StateField.define({
  create: () => Decoration.none,
  update(marks, { docChanged, effects, state }) {
    for (const effect of effects) {
      if (!effect.is(markLine)) continue;
      if (effect.value < 1 || effect.value > state.doc.lines) return Decoration.none;
      return Decoration.set([offending.range(state.doc.line(effect.value).from)]);
    }
    return docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * @param {HTMLElement} parent
 * @param {string} text
 * @param {{label: string, describedBy: string, run: (goOn: boolean) => void, leave: () => void,
 *   changed: () => void}} cell
 */
export function edit(parent, text, { label, describedBy, run, leave, changed }) {
  const running = (/** @type {boolean} */ goOn) => () => (run(goOn), true);
  const view = new EditorView({
    parent,
    doc: text,
    extensions: [
      keymap.of([
        { key: "Shift-Enter", run: running(true) },
        { key: "Ctrl-Enter", run: running(false) },
        { key: "Mod-Enter", run: running(false) },
        { key: "Escape", run: () => (leave(), true) },
        indentWithTab,
        ...historyKeymap,
        ...defaultKeymap,
      ]),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      indentUnit.of("    "),
      new LanguageSupport(pythonLanguage),
      syntaxHighlighting(colours),
      mark,
      names,
      EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": describedBy }),
      EditorView.updateListener.of(({ docChanged }) => docChanged && changed()),
    ],
  });
  return {
    text: () => view.state.doc.toString(),
    /** @param {string} whole */
    set: (whole) =>
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: whole },
        annotations: isolateHistory.of("full"), // one undo brings all of it back
      }),
    /** @param {number} line 0 for none */
    mark: (line) => view.dispatch({ effects: markLine.of(line) }),
    focus: () => view.focus(),
  };
}
