// A game as its log tells it: the events followed move by move, one step for every thing to see.
// Events are as `data.py` packs them. Nothing here decides anything by the rules but the count.

const SETUP = JSON.parse(document.getElementById("setup").textContent);
const KINDS = SETUP.kinds;
const K = Object.fromEntries(KINDS.map((kind, place) => [kind, place]));
const BID = -1, REFILL = KINDS.length, COLLISION = REFILL + 1, AWARD = REFILL + 2;
const DECK = 0, DISCARD = 1;
const isRow = (zone) => zone >= 2 && zone < 10;
const isSeat = (zone) => zone >= 10;
const isRound = (event) => typeof event === "number";
const isDecision = (event) => Array.isArray(event) && Array.isArray(event[2]);
const isMove = (event) => Array.isArray(event) && !isDecision(event);

// The points by kind of every tableau (arrays of counts by kind); SPEC, section 1.
const EACH = { french_cruller: 2, glazed: 2, powdered: 3, red_velvet: -2, sprinkled: 2, bear_claw: -2,
  cinnamon_twist: 1, day_old_donuts: -7, milk: 5, strawberry_glazed: -2 };
const SETS = { donut_holes: [0, 1, 3, 6, 10, 15], jelly_filled: [0, 0, 5, 5, 10, 10, 15],
  boston_cream: [0, 0, 6, 0, 15, 0, 25] };
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

// For each seat an array by kind: null, or {points, why, n, k, e} with the text that says why.
function count(tableaus, rulings) {
  const sizes = tableaus.map(sum);
  const fewest = Math.min(...sizes);
  return tableaus.map((tableau, seat) => {
    const cards = sizes[seat];
    const kinds = tableau.filter((n) => n > 0).length;
    const negative = sum(tableau.map((n, kind) => (EACH[KINDS[kind]] < 0 ? n : 0)));
    const yesNo = (name, n, each, holds, k) =>
      holds ? { points: n * each, why: `why_${name}_yes`, n, k } : { points: 0, why: `why_${name}_no`, n, k };
    const special = {
      plain(n) {
        const rest = tableaus.filter((_, other) => other !== seat).map((other) => other[K.plain]);
        const most = Math.max(...rest);
        if (n > most) return { points: n + 3, why: "why_plain_most", n };
        if (n === most) return { points: n + 1, why: "why_plain_tied", n };
        return { points: n, why: "why_each", n, e: 1 };
      },
      maple_bar: (n) => yesNo("maple_bar", n, 3, kinds > 6, kinds),
      mucho_matcha: (n) => yesNo("mucho_matcha", n, 3, kinds < 7, kinds),
      old_fashioned: (n) => yesNo("old_fashioned", n, 5, cards < 10, cards),
      maple_frosted(n) {
        if (cards > fewest) return { points: 0, why: "why_fewest_no", n, k: cards };
        if (sizes.filter((size) => size === fewest).length === 1)
          return { points: 5 * n, why: "why_fewest_alone", n, k: cards };
        return rulings.maple_frosted_tie === "none"
          ? { points: 0, why: "why_fewest_tied", n, k: cards }
          : { points: 5 * n, why: "why_fewest_shared", n, k: cards };
      },
      coffee: (n) => ({ points: n * negative, why: "why_coffee", n, k: negative }),
    };
    return tableau.map((n, place) => {
      const kind = KINDS[place];
      if (n === 0) return null;
      if (special[kind]) return special[kind](n);
      if (SETS[kind]) return { points: SETS[kind][Math.min(n, SETS[kind].length - 1)], why: "why_set", n };
      if (EACH[kind]) return { points: EACH[kind] * n, why: "why_each", n, e: EACH[kind] };
      return { points: 0, why: "why_zero", n };
    });
  });
}
const total = (counted) => sum(counted.map((entry) => (entry ? entry.points : 0)));

// A seat is out after three of the first faults or one of the others (SPEC, section 7).
const THREE_STRIKES = ["timeout", "malformed", "illegal"];
const isOut = (faults) =>
  faults.filter((fault) => THREE_STRIKES.includes(fault)).length >= 3 ||
  faults.some((fault) => !THREE_STRIKES.includes(fault));

function copyState(state) {
  return { ...state, row: [...state.row], discard: [...state.discard], bids: state.bids && [...state.bids],
    laid: [...state.laid], passes: [...state.passes], top: state.top && { ...state.top },
    tableaus: state.tableaus.map((tableau) => [...tableau]), faults: state.faults.map((list) => [...list]) };
}

// One card from zone to zone; false when it is not where the log says.
function move(state, [card, from, to]) {
  if (from === DECK) {
    if (state.deck < 1) return false;
    state.deck -= 1;
    state.top = null;
  } else if (from === DISCARD) {
    const at = state.discard.lastIndexOf(card);
    if (at < 0) return false;
    state.discard.splice(at, 1);
  } else if (isRow(from)) {
    if (state.row[from - 2] !== card) return false;
    state.row[from - 2] = null;
  } else {
    if (state.tableaus[from - 10][card] < 1) return false;
    state.tableaus[from - 10][card] -= 1;
  }
  if (to === DISCARD) state.discard.push(card);
  else if (isSeat(to)) state.tableaus[to - 10][card] += 1;
  else if (!isRow(to) || state.row[to - 2] !== null) return false;
  else state.row[to - 2] = card;
  return true;
}

// The steps of a game: {type, state, moves, decisions, …}, each with the state after it.
// A decision is {player, decision, choose, fault, at}; `at` is its position, ROUND:DECISION.
function follow(game) {
  const seats = game.players.length;
  const none = () => Array(seats).fill(null);
  const state = { round: 0, row: Array(seats + 1).fill(null), discard: [], deck: SETUP.decks[seats] ?? 0, bids: null,
    tableaus: Array.from({ length: seats }, () => Array(KINDS.length).fill(0)), laid: none(), passes: none(),
    top: null, faults: Array.from({ length: seats }, () => []), actor: null };
  const steps = [];
  const events = game.events;
  let next = 0, decided = 0, offers = 0, impossible = null;
  const push = (type, rest = {}) =>
    steps.push({ type, moves: [], decisions: [], decided, ...rest, state: copyState(state) });
  const moves = (belongs, most = Infinity) => {
    const done = [];
    while (next < events.length && done.length < most && isMove(events[next]) && belongs(events[next])) {
      if (!move(state, events[next])) {
        impossible = game.line + 1 + next;
        break;
      }
      done.push(events[next++]);
    }
    return done;
  };
  const decisions = (kind, most = Infinity) => {
    const made = [];
    while (next < events.length && made.length < most && isDecision(events[next]) && events[next][1] === kind) {
      const [player, decision, choose, fault] = events[next++];
      decided += 1;
      if (fault) state.faults[player].push(fault);
      made.push({ player, decision, choose, fault, at: `${state.round}:${decided}` });
    }
    return made;
  };
  push("start");
  while (next < events.length && impossible === null) {
    const event = events[next];
    if (isRound(event)) {
      next += 1;
      decided = 0;
      Object.assign(state, { round: event, bids: null, laid: none(), actor: null });
      push("round", { moves: moves((m) => m[3] === REFILL) });
    } else if (isDecision(event) && event[1] === BID) {
      const made = decisions(BID);
      for (const bid of made) state.laid[bid.player] = bid.choose[0];
      push("laid", { decisions: made });
      if (state.laid.every((bid) => bid !== null)) {
        state.bids = state.laid;
        state.laid = none();
        push("turned", { shown: made });
      }
    } else if (isDecision(event) && event[1] === K.cinnamon_twist) {
      const made = decisions(K.cinnamon_twist);
      for (const pick of made) state.passes[pick.player] = pick.choose[0];
      push("picked", { decisions: made });
    } else if (isDecision(event)) {
      const made = decisions(event[1], 1);
      const offer = event[1] === K.double_chocolate ? game.offers[offers++] : null;
      const done = moves((m) => m[3] === event[1]);
      if (offer && offer[1] !== null) {
        const [kept] = event[2];
        state.top = { seat: event[0], card: offer[offer[0] === kept ? 1 : 0] };
      }
      push("power", { decisions: made, moves: done, kind: event[1], actor: event[0], offer });
    } else {
      const cause = event[3];
      const single = cause === AWARD || cause === COLLISION;
      if (cause === AWARD && isSeat(event[2])) state.actor = event[2] - 10;
      const done = moves((m) => m[3] === cause, single ? 1 : Infinity);
      if (cause === K.cinnamon_twist && done.length > 0) state.passes = none();
      const type = cause === AWARD ? "award" : cause === COLLISION ? "collision" : "power";
      if (done.length > 0) push(type, { moves: done, kind: cause, actor: cause === COLLISION ? null : state.actor });
    }
  }
  if (impossible !== null) push("stopped", { impossible });
  else push(game.end ? "end" : "stopped");
  place(steps);
  return steps;
}

// Every step's own position: the next decision, from which the game would be played on.
function place(steps) {
  let following = null;
  for (let i = steps.length - 1; i >= 0; i--) {
    const { round } = steps[i].state;
    steps[i].at = following;
    if (steps[i].decisions.length > 0) following = steps[i].decisions[0].at;
    // Nothing but the bids can come first in a round: its start needs no number.
    if (following === `${round}:1`) following = `${round}`;
  }
}
