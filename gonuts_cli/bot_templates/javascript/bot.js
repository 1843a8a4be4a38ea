// A bot for gonuts: reads one JSON object a line on standard input, answers on standard output.
// Change `answer`; leave the rest as it is. Notes for yourself go to console.error.
"use strict";

const readline = require("node:readline");

// What a card is worth to us, roughly. All that this table leaves out is worth 2.
const VALUE = new Map(Object.entries({
  day_old_donuts: -7, red_velvet: 0, bear_claw: 1, strawberry_glazed: 0,
  donut_holes: 3, powdered: 3, french_cruller: 2, maple_bar: 2, boston_cream: 4,
  jelly_filled: 3, milk: 3, old_fashioned: 4, maple_frosted: 1, double_chocolate: 3,
}));
const TAKES = ["double_chocolate", "red_velvet", "bear_claw", "strawberry_glazed", "day_old_donuts"];
const GIVES = ["sprinkled", "cinnamon_twist", "raspberry_frosted"];

// The worth of an option: a kind of card, or [kind, seat].
function value(option) {
  const kind = Array.isArray(option) ? option[0] : option;
  return VALUE.get(kind) ?? 2;
}

// Random numbers that depend on the seed only (mulberry32): the same game again, the same answers.
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x = (x + Math.imul(x ^ (x >>> 7), x | 61)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Some of `options`: as many as one of `counts` says.
function answer({ decision, options, counts, view }, random) {
  if (decision === "bid") { // any position, a good card more often than a bad one
    const weights = options.map((position) => Math.max(1, 2 + value(view.row[position - 1])));
    let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
    const index = weights.findIndex((weight) => (left -= weight) < 0);
    return [options[Math.max(0, index)]];
  }
  const ascending = [...options].sort((a, b) => value(a) - value(b));
  if (TAKES.includes(decision)) return ascending.reverse().slice(0, counts[counts.length - 1]);
  if (GIVES.includes(decision)) return ascending.slice(0, counts[0]);
  return options.slice(0, counts[0]); // always legal
}

function send(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

let random = generator(0);
readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") { // a game begins; with "reuse" there may be several in one process
    random = generator(parseInt(message.random.slice(0, 8), 16));
    send({ type: "ready", name: "my bot", events: false, reuse: true });
  } else if (message.type === "decide") {
    send({ id: message.id, choose: answer(message, random) });
  } else if (message.type === "fault") { // the referee had to choose for us, and says why
    console.error(message.message);
  }
});
