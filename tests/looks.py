"""What a browser says of a page's looks: whether all of it can be reached, and read."""

from __future__ import annotations

from tests.chromium import Chromium

A4 = 718
"""How wide a sheet of A4 is between a browser's usual margins, in pixels of CSS."""

_BEYOND = """
(() => {
  const found = [], limit = innerWidth + 1;
  for (const one of document.body.querySelectorAll('*')) {
    if (!one.checkVisibility() || one.closest('dialog')) continue;
    let inside = one, scrolls = false;
    while ((inside = inside.parentElement)) {
      scrolls ||= ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(inside).overflowX);
    }
    const box = one.getBoundingClientRect();
    if (!scrolls && box.width && (box.right > limit || box.left < -1)) found.push(one.outerHTML);
  }
  return found.map((text) => text.slice(0, 120));
})()
"""

_HIDDEN = """
(() => [...document.body.querySelectorAll('*')].filter((one) => one.checkVisibility()
    && !one.closest('.chip') && getComputedStyle(one).overflowX !== 'visible'
    && one.scrollWidth > one.clientWidth + 1 && !(one instanceof SVGElement))
  .map((one) => one.outerHTML.slice(0, 120)))()
"""

_FAINT = """
(() => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const light = (pixel) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, at) => {
    const part = pixel[at] / 255;
    return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  }, 0);
  const lay = (colour) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return light(pen.getImageData(0, 0, 1, 1).data);
  };
  const found = [];
  for (const one of document.body.querySelectorAll('*')) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !one.checkVisibility() || one.closest('[disabled], [aria-disabled=true], script')) {
      continue;
    }
    const around = [];
    for (let box = one; box; box = box.parentElement) around.unshift(box);
    let behind = lay(matchMedia('print').matches ? '#fff' : 'Canvas');
    for (const box of around) behind = lay(getComputedStyle(box).backgroundColor);
    const ink = lay(getComputedStyle(one).color);
    const [low, high] = [ink, behind].sort((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) found.push(contrast.toFixed(2) + ' ' + one.outerHTML.slice(0, 120));
  }
  return found;
})()
"""


def beyond(browser: Chromium) -> list[str]:
    """What reaches beyond the window's sides, other than inside of something that scrolls."""
    if browser.run("document.documentElement.scrollWidth > innerWidth"):
        return ["the page scrolls sideways"]
    found: list[str] = browser.run(_BEYOND)
    return found


def cut(browser: Chromium) -> list[str]:
    """What does not show all it holds unless it is scrolled: lost on paper.

    The chips that bid may shorten names, which stand whole beside the same numbers.
    """
    found: list[str] = browser.run(_HIDDEN)
    return found


def faint(browser: Chromium) -> list[str]:
    """Texts with less contrast to what is behind them than WCAG's AA asks of small ones."""
    found: list[str] = browser.run(_FAINT)
    return found
