// @ts-check
// Numbers as readers type them: for the questions, and for the exercises of the pages.

/**
 * The numbers that a reader may mean. A comma is a decimal one, 0,5, or marks thousands, 62,832;
 * where it can be either, both count. Empty if the text is no number.
 * @param {string} text
 */
export function parseNumbers(text) {
  const plain = text.trim().replaceAll("−", "-");
  const thousands = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(plain);
  return [plain.replace(",", "."), ...(thousands ? [plain.replaceAll(",", "")] : [])]
    .filter((reading) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(reading))
    .map(Number);
}
