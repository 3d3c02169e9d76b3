// Widgets are on their way: their slots keep their height and hide the pictures until the
// mounter is done. If it never starts, the pictures come back.
document.documentElement.dataset.widgets = "pending";
addEventListener("load", () => {
  const { dataset } = document.documentElement;
  if (dataset.widgets === "pending") delete dataset.widgets;
});
