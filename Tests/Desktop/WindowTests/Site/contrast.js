// The contrast of every visible text of the page with its background (WCAG 2.2): the value of this script is a list of
// {text, ratio}, the worst first.
(() => {
  const numbers = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const background = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = numbers(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) { return colour; }
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0] : [255, 255, 255];
  };
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement, text = texts.currentNode.data.trim();
    if (!text || !element.checkVisibility() || element.closest(".hidden, script")) { continue; }
    const [one, other] = [luminance(numbers(getComputedStyle(element).color)), luminance(background(element))];
    found.push({text, ratio: (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)});
  }
  return found.sort((left, right) => left.ratio - right.ratio);
})()
