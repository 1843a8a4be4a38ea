// What is seen: the table as it stands after one step.

const byId = (id) => document.getElementById(id);

// A card on the table; `more` goes into its lower line.
function tile(kind, attributes = {}, ...more) {
  return h("div", { class: "tile", "data-kind": KINDS[kind], ...attributes }, drawing(KINDS[kind]),
    h("span", { class: "name" }, Words.tileName(kind)), ...more);
}

const numberBadge = (seat) => h("span", { class: `badge seat-${seat}`, "aria-hidden": "true" }, String(seat + 1));

function chip(game, seat) {
  return h("span", { class: `chip seat-${seat}` }, numberBadge(seat), h("bdi", {}, game.players[seat]));
}

function faceDown(label) {
  return h("span", { class: "down", role: "img", "aria-label": label, title: label });
}

function showTable(game, steps, index, viewer) {
  const step = steps[index];
  const { state } = step;
  const fresh = (zone) => step.moves.some(([, , to]) => to === zone);
  put(byId("round"), ...(state.round ? Words.fill("round", { round: state.round }) : [Words.text("row")]));
  byId("row").style.setProperty("--places", state.row.length);
  put(byId("row"), ...state.row.map((kind, i) => {
    const bidders = (state.bids ?? []).flatMap((bid, seat) => (bid === i + 1 ? [chip(game, seat)] : []));
    const card = kind === null
      ? h("div", { class: "tile gap", role: "img", "aria-label": Words.plain("place_empty", { n: i + 1 }) })
      : tile(kind, { class: fresh(i + 2) ? "tile fresh" : "tile" });
    return h("li", { "data-zone": i + 2, "data-card": kind === null ? "" : KINDS[kind] },
      h("span", { class: "place", title: Words.plain("place", { n: i + 1 }) }, String(i + 1)), card,
      h("div", { class: "bidders" }, bidders));
  }));
  showPiles(game, step, viewer);
  const counted = count(state.tableaus, game.rulings);
  const before = index > 0 ? count(steps[index - 1].state.tableaus, game.rulings) : null;
  put(byId("seats"), ...game.players.map((_, seat) =>
    seatPanel(game, step, seat, viewer, counted, before ? total(counted[seat]) - total(before[seat]) : 0)));
  showCount(game, step, counted);
}

function showPiles(game, step, viewer) {
  const { state } = step;
  const known = state.top && (viewer === null || viewer === state.top.seat);
  byId("deck").setAttribute("data-zone", DECK);
  byId("deck").setAttribute("data-top", known ? KINDS[state.top.card] : "");
  put(byId("deck"), 
    h("span", { class: "pile", "aria-hidden": "true" }),
    h("span", { class: "size" }, Words.amount("deck", state.deck)),
    known ? h("span", { class: "known" }, Words.fill("top", {
      player: h("bdi", {}, game.players[state.top.seat]), cards: Words.card(state.top.card) })) : null,
    step.offer ? offered(step, viewer) : null);
  const size = state.discard.length;
  const fresh = step.moves.some(([, , to]) => to === DISCARD);
  byId("discard").setAttribute("data-zone", DISCARD);
  put(byId("discard"), 
    h("h3", {}, Words.text("discard"), " ", h("span", { class: "note" }, size || Words.text("empty"))),
    h("ol", {}, state.discard.map((kind, i) => h("li", { "data-card": KINDS[kind] },
      tile(kind, { class: i === size - 1 && fresh ? "tile small fresh" : "tile small" }))).reverse()));
}

// Double Chocolate's two cards: only its player and the audience may see them.
function offered(step, viewer) {
  const open = viewer === null || viewer === step.actor;
  return h("span", { class: "offer" }, step.offer.map((kind) =>
    open && kind !== null ? tile(kind, { class: "tile small", "data-offer": KINDS[kind] }) : faceDown(Words.text("deck_label"))));
}

function seatPanel(game, step, seat, viewer, counted, change) {
  const { state } = step;
  const held = state.tableaus[seat];
  const cards = sum(held);
  const points = total(counted[seat]);
  const out = isOut(state.faults[seat]);
  const acts = step.actor === seat || step.decisions.some((made) => made.player === seat && made.decision !== BID);
  const won = step.type === "end" && game.end.winners.includes(seat);
  const fresh = (kind) => step.moves.some(([card, , to]) => card === kind && to === seat + 10);
  const faulty = [...step.decisions, ...(step.shown ?? [])].some((made) =>
    made.player === seat && made.fault && (step.type !== "laid" || viewer === null || viewer === seat));
  const gap = (n) => h("span", { class: "note" }, n);
  return h("article", {
    class: `seat seat-${seat}${acts ? " acts" : ""}${won ? " won" : ""}${out ? " out" : ""}`,
    "data-zone": seat + 10, "data-seat": seat, "data-points": points, "data-cards": cards },
    h("h3", {}, numberBadge(seat), h("bdi", { class: "who" }, game.players[seat]),
      won ? h("span", { class: "crown", title: Words.text("winner") }, "\u2605 ", Words.text("winner")) : null,
      viewer === seat ? h("span", { class: "flag" }, Words.text("you")) : null,
      out ? h("span", { class: "flag bad" }, Words.text("out")) : null,
      faulty ? h("span", { class: "flag bad" }, "!") : null),
    h("p", { class: "bid" }, bidOf(state, seat, viewer)),
    h("p", { class: "score" },
      h("strong", {}, Words.amount("points", points)),
      change ? h("span", { class: "change" }, `${change > 0 ? "+" : ""}${Words.number(change)}`) : null,
      gap(Words.amount("cards", cards)), gap(Words.amount("kind_count", held.filter((n) => n > 0).length))),
    h("ul", { class: "tableau" }, held.flatMap((n, kind) => n === 0 ? [] : [
      h("li", { "data-card": KINDS[kind], "data-count": n },
        tile(kind, { class: fresh(kind) ? "tile small fresh" : "tile small" },
          n > 1 ? h("span", { class: "times" }, `\u00d7${n}`) : null,
          h("span", { class: "worth", title: Words.amount("points", counted[seat][kind].points) },
            Words.number(counted[seat][kind].points))))])));
}

// The seat's bid or card to pass: face down to all but the seat's own eyes until all are there.
function bidOf(state, seat, viewer) {
  if (state.passes[seat] !== null) {
    return viewer === seat
      ? [faceDown(""), Words.fill("pass_up", { cards: Words.card(state.passes[seat]) })]
      : [faceDown(Words.text("pass_down")), Words.text("pass_down")];
  }
  if (state.bids) return h("span", { "data-bid": state.bids[seat] }, Words.fill("bid", { n: state.bids[seat] }));
  if (state.laid[seat] === null) return Words.text("no_bid");
  if (viewer !== seat) return [faceDown(Words.text("bid_down")), Words.text("bid_down")];
  return [faceDown(""), h("span", { "data-bid": state.laid[seat] }, Words.fill("bid", { n: state.laid[seat] }))];
}

// The count, kind by kind, each with the reason in words.
function showCount(game, step, counted) {
  const ended = step.type === "end";
  byId("count").querySelector("summary").textContent = Words.text(ended ? "final" : "count_now");
  put(byId("counted"), ...game.players.map((name, seat) => {
    const rows = counted[seat].flatMap((entry, kind) => entry === null ? [] : [
      h("tr", {}, h("th", { scope: "row" }, Words.card(kind)),
        h("td", { class: "why" }, Words.fill(entry.why, { n: entry.n, k: entry.k, e: Words.number(entry.e) })),
        h("td", { class: "number" }, Words.number(entry.points)))]);
    const points = total(counted[seat]);
    const recorded = ended && game.end.scores[seat] !== points
      ? h("p", { class: "notice" }, Words.fill("recorded", { n: Words.number(game.end.scores[seat]) })) : null;
    return h("table", {}, h("caption", {}, numberBadge(seat), h("bdi", {}, name)),
      h("tbody", {}, rows.length ? rows
        : h("tr", {}, h("td", { colspan: 3 }, Words.text("holds_nothing")))),
      h("tfoot", {}, h("tr", {}, h("th", { scope: "row", colspan: 2 }, Words.text("total")),
        h("td", { class: "number" }, Words.number(points), recorded))));
  }));
}

// Cards fly from where they were to where they are; only eyes that want it see that.
const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
function zoneBox(zone, kind) {
  const element = document.querySelector(`#game [data-zone="${zone}"]`);
  const card = element && (element.querySelector(`[data-card="${KINDS[kind]}"] .donut`) ?? element.querySelector(".pile"));
  return (card ?? element)?.getBoundingClientRect();
}
function land() {
  for (const ghost of document.querySelectorAll(".ghost")) ghost.remove();
}
function fly(moves, from, speed) {
  moves.forEach(([kind, , to], i) => {
    const start = from[i], goal = zoneBox(to, kind);
    if (!start || !goal || goal.width === 0) return;
    const ghost = h("div", { class: "ghost", "aria-hidden": "true" }, drawing(KINDS[kind]));
    document.body.append(ghost);
    const at = (box) => `translate(${box.x + box.width / 2 - 28}px, ${box.y + box.height / 2 - 28}px)`;
    const flight = ghost.animate([{ transform: at(start) }, { transform: at(goal) }],
      { duration: 420 / speed, delay: (i * 60) / speed, easing: "ease-in-out", fill: "both" });
    flight.onfinish = () => ghost.remove();
  });
}
