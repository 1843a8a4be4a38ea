// What is said: every sentence as a list of nodes. Text of a log only ever becomes a text node.

function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}
const present = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined);
const put = (element, ...children) => element.replaceChildren(...present(children));

const SVG = "http://www.w3.org/2000/svg";
function drawing(kind) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "donut");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("viewBox", "0 0 64 64");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#donut-${kind}`);
  svg.append(use);
  return svg;
}

// Where the long words of cards' names may break in a narrow tile; browsers seldom know.
const BREAKS = { Zimtdrehung: "Zimt\u00addrehung", Milchkuchen: "Milch\u00adkuchen",
  Französischer: "Franzö\u00adsischer", Bärenklaue: "Bären\u00adklaue" };

const Words = {
  lang: SETUP.lang,
  // A sentence of the page (texts.json) or of all replays (show/lang), as text.
  text(key) {
    return SETUP.texts[this.lang][key];
  },
  // The same with its braces filled by nodes or text: a list to append.
  say(template, values = {}) {
    return template.split(/\{(\w+)\}/).map((part, i) => (i % 2 ? (values[part] ?? "") : part));
  },
  fill(key, values) {
    return this.say(this.text(key), values);
  },
  plain(key, values) {
    return this.fill(key, values).join("");
  },
  amount(key, n) {
    const one = this.text("zero_is_singular") ? Math.abs(n) < 2 : Math.abs(n) === 1;
    return this.text(key)[one ? 0 : 1].replace("{n}", () => this.number(n));
  },
  number: (n) => String(n).replace("-", "\u2212"),
  name(kind) {
    return SETUP.names[this.lang][KINDS[kind]];
  },
  tileName(kind) {
    return this.name(kind).replace(/\p{L}+/gu, (word) => BREAKS[word] ?? word);
  },
  card(kind) {
    return h("span", { class: "what" }, drawing(KINDS[kind]), this.name(kind));
  },
  listed(items) {
    const places = items.map((_, i) => String(i));
    const parts = new Intl.ListFormat(this.lang, { type: "conjunction" }).formatToParts(places);
    return parts.map((part) => (part.type === "element" ? items[Number(part.value)] : part.value));
  },
  cards(kinds) {
    return this.listed(kinds.map((kind) => this.card(kind)));
  },
};

// The sentences of one step as `viewer` (a seat, or null for the audience) would tell it:
// a list of {nodes, at, fault}; `at` is the decision's position.
function sentences(game, steps, index, viewer) {
  const step = steps[index];
  const { state, moves, decisions } = step;
  const who = (seat) => h("bdi", { class: "who" }, game.players[seat]);
  const all = (seats) => Words.listed(seats.map(who));
  const fill = (key, values) => Words.fill(key, values);
  const said = [];
  const tell = (nodes, rest = {}) => said.push({ nodes, ...rest });
  const sees = (seat) => viewer === null || viewer === seat;
  const faults = (made) => {
    for (const { player, fault, at } of made) {
      if (!fault) continue;
      const known = Words.text("faults")[fault];
      if (known) tell(Words.say(known, { player: who(player) }), { fault: true });
      else if (fault !== "disqualified") tell([fault], { fault: true });
      tell(fill("referee_chose", { player: who(player) }), { fault: true, at });
      const before = state.faults[player].slice(0, -1);
      if (isOut(state.faults[player]) && !isOut(before)) tell(fill("put_out", { player: who(player) }), { fault: true });
    }
  };
  const told = {
    start() {
      tell(fill("seats", { players: all(game.players.map((_, seat) => seat)) }));
      tell([Words.amount("deck", state.deck), "."]);
    },
    round() {
      tell([fill("round", { round: state.round }), "."]);
      const key = moves.length === 0 ? "not_refilled" : moves.length === 1 ? "refilled_one" : "refilled";
      tell(fill(key, { cards: Words.cards(moves.map(([card]) => card)) }));
    },
    laid() {
      const players = decisions.map((bid) => bid.player);
      const everybody = players.length === game.players.length;
      tell(everybody ? fill("laid") : fill("laid_some", { players: all(players) }), { at: decisions[0].at });
      faults(decisions.filter((bid) => sees(bid.player)));
    },
    turned() {
      tell(fill("turned"));
      for (const { player, choose, at } of step.shown) {
        const card = state.row[choose[0] - 1];
        const cards = card === null ? fill("place", { n: choose[0] }) : Words.card(card);
        tell([fill("bid_on", { player: who(player), cards }), "."], { at });
      }
      faults(step.shown.filter((bid) => !sees(bid.player)));
    },
    collision() {
      const [card, from] = moves[0];
      const players = [...game.players.keys()].filter((seat) => state.bids && state.bids[seat] === from - 1);
      const key = players.length < 3 ? "collision_two"
        : players.length === game.players.length ? "collision_all" : "collision_many";
      tell(fill(key, { players: all(players), cards: Words.card(card) }));
    },
    award() {
      const [card] = moves[0];
      tell(fill("award", { player: who(step.actor), cards: Words.card(card) }));
      const then = steps[index + 1];
      const acted = !then || then.type === "stopped" || then.kind === card || then.type === "picked";
      const { power, nothing } = SETUP.cards[Words.lang][KINDS[card]];
      if (power && nothing && !acted) tell(Words.say(nothing, { player: who(step.actor) }));
    },
    picked() {
      const players = decisions.map((pick) => pick.player);
      tell(fill(players.length === 1 ? "picked_one" : "picked", { players: all(players) }), { at: decisions[0].at });
      faults(decisions.filter((pick) => sees(pick.player)));
    },
    power() {
      const kind = KINDS[step.kind];
      const at = decisions.length > 0 ? decisions[0].at : undefined;
      if (decisions.length > 0) faults(decisions);
      const texts = SETUP.cards[Words.lang][kind];
      const passed = kind === "cinnamon_twist" ? moves.filter(([, , to]) => isSeat(to)) : [];
      const played = moves.filter((m) => !passed.includes(m));
      for (const [card, from, to] of passed) {
        const values = { player: who(from - 10), cards: Words.card(card), other: who(to - 10) };
        tell([fill("passed", values), "."]);
      }
      if (passed.length > 0) faults(pendingPasses(steps, index).filter((pick) => !sees(pick.player)));
      if (passed.length > 0 && played.length === 0) return;
      const giver = played.find(([, from, to]) => isSeat(from) && from - 10 !== step.actor);
      const taker = played.find(([, , to]) => isSeat(to) && to - 10 !== step.actor);
      const other = giver ? who(giver[1] - 10) : taker ? who(taker[2] - 10) : "";
      const values = { player: step.actor === null ? "" : who(step.actor), other,
        cards: Words.cards(played.map(([card]) => card)) };
      let part = played.length === 0 ? "nothing" : "did";
      if (wentItself(step, played)) part = "itself";
      if (kind === "double_chocolate" && decisions.length === 0) part = "last";
      tell(Words.say(texts[part] ?? texts.did ?? "", values), { at });
      if (step.offer && sees(step.actor)) {
        const [one, two] = step.offer;
        if (two === null) tell(fill("offered_one"));
        else tell(fill("offered", { cards: Words.cards([one, two]) }));
      }
    },
    end() {
      tell(fill("end", { rounds: Words.amount("rounds", state.round) }));
      const { winners } = game.end;
      if (winners.length === 0) tell(fill("nobody_wins"));
      else if (winners.length === 1) tell(fill("wins", { player: who(winners[0]) }));
      else tell(fill("shared_win", { players: all(winners) }));
    },
    stopped() {
      if (step.impossible) tell(fill("impossible", { n: step.impossible }), { fault: true });
      else if (game.stop && game.stop.why) tell(fill("broken", { why: game.stop.why }), { fault: true });
      else tell(fill("unfinished"), { fault: true });
    },
  };
  told[step.type]();
  return said;
}

// Whether the power's own card went to the discard pile: Milk, Twist, or the only Raspberry Frosted.
function wentItself(step, played) {
  if (played.length !== 1 || played[0][0] !== step.kind || played[0][2] !== DISCARD) return false;
  const kind = KINDS[step.kind];
  if (kind === "raspberry_frosted") return sum(step.state.tableaus[played[0][1] - 10]) === 0;
  return kind === "milk" || kind === "cinnamon_twist";
}

// The passes that were chosen face down just before this step of a Twist.
function pendingPasses(steps, index) {
  const before = steps[index - 1];
  return before && before.type === "picked" ? before.decisions : [];
}
