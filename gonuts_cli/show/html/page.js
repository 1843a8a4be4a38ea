// The page: which game, which step, who looks, in which language, and how it is driven.

const stored = document.querySelectorAll("script.game");
const read = new Map();
function gameAt(place) {
  if (!read.has(place)) read.set(place, JSON.parse(stored[place].textContent));
  return read.get(place);
}

const Page = { place: null, game: null, steps: [], index: 0, viewer: null, timer: null, listed: 0, found: [] };

function fillLabels() {
  document.documentElement.lang = Words.lang;
  for (const element of document.querySelectorAll("[data-t]"))
    element.textContent = Words.text(element.dataset.t);
  for (const element of document.querySelectorAll("[data-t-label]")) {
    const label = Words.text(element.dataset.tLabel);
    element.setAttribute("aria-label", label);
    if (element.tagName === "BUTTON") element.title = label;
  }
  const view = byId("view");
  put(view, h("option", { value: "" }, Words.text("view_all")),
    ...(Page.game ? Page.game.players : []).map((name, seat) => h("option", { value: seat }, `${seat + 1} \u00b7 ${name}`)));
  view.value = Page.viewer === null ? "" : String(Page.viewer);
  showKinds();
  if (Page.game) {
    showFacts();
    render();
  }
}

function showKinds() {
  const seats = Page.game ? Page.game.players.length : 0;
  put(byId("kinds"), ...KINDS.flatMap((kind, place) => {
    const copies = seats ? SETUP.copies[seats][place] : null;
    if (copies === 0) return [];
    const { power, points } = SETUP.cards[Words.lang][kind];
    return [h("li", {}, drawing(kind), h("div", {},
      h("strong", {}, Words.name(place)), copies ? h("span", { class: "note" }, ` \u00b7 ${Words.amount("copies", copies)}`) : null,
      h("p", {}, points, "."), power ? h("p", {}, power) : null))];
  }));
}

function showFacts() {
  const { game } = Page;
  const facts = [["game", game.game], ["file", Words.plain("file_line", { file: game.file, n: game.line })],
    ["commitment", game.commitment], ["seed", game.end && game.end.seed]];
  const entries = facts.filter(([, value]) => value).map(([key, value]) => [Words.text(key), value]);
  entries.push(...Object.entries(game.rulings ?? {}), ...Object.entries(game.tags ?? {}));
  put(byId("facts"), ...entries.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, h("bdi", {}, value))]));
}

function render() {
  const { game, steps, index, viewer } = Page;
  const step = steps[index];
  const said = sentences(game, steps, index, viewer);
  put(byId("said"), ...said.map(({ nodes, fault }) => h("p", { class: fault ? "fault" : null }, nodes)));
  byId("game").dataset.step = index;
  byId("game").dataset.type = step.type;
  showTable(game, steps, index, viewer);
  showHistory();
  const round = step.state.round;
  const was = byId("rounds").querySelector("[aria-current]");
  const now = byId("rounds").querySelector(`[data-round="${round}"]`);
  if (now !== was) {
    was?.removeAttribute("aria-current");
    now?.setAttribute("aria-current", "step");
    byId("rounds").scrollLeft = now ? now.offsetLeft - byId("rounds").clientWidth / 2 : 0;
  }
  const slider = byId("slider");
  slider.max = steps.length - 1;
  slider.value = index;
  slider.setAttribute("aria-valuetext", Words.plain("step_of", { n: index + 1, m: steps.length }));
  byId("at").textContent = step.at ?? Words.text("position_none");
  byId("at").title = step.at ? Words.plain("position_hint", { at: step.at }) : Words.text("position_end");
  byId("copy").disabled = step.at === null;
  byId("copy").title = byId("at").title;
  for (const id of ["first", "back"]) byId(id).setAttribute("aria-disabled", String(index === 0));
  for (const id of ["next", "last"]) byId(id).setAttribute("aria-disabled", String(index === steps.length - 1));
}

function line({ nodes, at, fault }) {
  return h("p", { class: fault ? "fault" : null }, nodes, at ? h("span", { class: "at" }, at) : null);
}

// This round's steps up to now, the latest first; each can be gone back to.
function showHistory() {
  const { game, steps, index, viewer } = Page;
  const { round } = steps[index].state;
  const items = [];
  for (let i = index; i >= 0 && steps[i].state.round === round; i--) {
    items.push(h("li", { class: i === index ? "current" : null },
      h("button", { type: "button", "aria-label": Words.plain("step_of", { n: i + 1, m: steps.length }),
        "aria-current": i === index ? "step" : null, onclick: () => go(i) }, String(i + 1)),
      h("div", {}, sentences(game, steps, i, viewer).map(line))));
  }
  put(byId("told"), ...items);
}

// All that happened, round by round, for paper.
function showTranscript() {
  if (!Page.game) return;
  const { game, steps, viewer } = Page;
  put(byId("transcript"), h("h2", {}, Words.text("happened")), steps.map((step, i) => {
    const told = sentences(game, steps, i, viewer);
    if (step.type === "round") return [h("h3", {}, Words.fill("round", { round: step.state.round })), told.slice(1).map(line)];
    const turnedNext = step.type === "laid" && steps[i + 1].type === "turned";
    return told.filter(({ fault }) => fault || !turnedNext).map(line);
  }));
  byId("count").open = byId("about").open = true;
}

function go(index, animate = false) {
  const { steps } = Page;
  const to = Math.max(0, Math.min(steps.length - 1, index));
  if (to === Page.index) return;
  const forward = animate && to === Page.index + 1 && !calm.matches;
  const { moves } = steps[to];
  land();
  const from = forward ? moves.map(([kind, zone]) => zoneBox(zone, kind)) : [];
  Page.index = to;
  render();
  if (steps[to].type === "end") byId("count").open = true;
  if (forward) fly(moves, from, Number(byId("speed").value));
  remember();
}

function goRound(by) {
  const rounds = [...byId("rounds").querySelectorAll("button")].map((button) => Number(button.dataset.step));
  const goal = by > 0 ? rounds.find((step) => step > Page.index) : rounds.findLast((step) => step < Page.index);
  go(goal ?? (by > 0 ? Page.steps.length - 1 : 0));
}

function play(on) {
  clearInterval(Page.timer);
  Page.timer = on ? setInterval(() => {
    go(Page.index + 1, true);
    if (Page.index >= Page.steps.length - 1) play(false);
  }, 1400 / Number(byId("speed").value)) : null;
  const label = Words.text(on ? "pause" : "play");
  byId("play").setAttribute("aria-label", label);
  byId("play").title = label;
  byId("play").setAttribute("aria-pressed", String(on));
}

function open(place, index) {
  play(false);
  const game = gameAt(place);
  Object.assign(Page, { place, game, steps: follow(game), viewer: null });
  const opening = Math.min(1, Page.steps.length - 1);
  Page.index = Number.isInteger(index) ? Math.max(0, Math.min(Page.steps.length - 1, index)) : opening;
  put(byId("rounds"), ...Page.steps.flatMap((step, i) => step.type !== "round" ? [] : [
    h("li", {}, h("button", { type: "button", "data-round": step.state.round, "data-step": i,
      onclick: () => go(i) }, String(step.state.round)))]));
  byId("title").textContent = Words.plain("title", { game: game.game });
  document.title = byId("title").textContent;
  byId("count").open = Page.steps[Page.index].type === "end";
  shown("game");
  fillLabels();
}

function shown(which) {
  byId("game").hidden = byId("controls").hidden = which !== "game";
  byId("list").hidden = which !== "list";
  byId("to-list").hidden = which !== "game" || stored.length < 2;
  byId("view-label").hidden = which !== "game";
}

// --- The list of an archive's games ---

const SHOWN_AT_ONCE = 100;
function showList() {
  play(false);
  Page.game = null;
  Page.place = null;
  shown("list");
  byId("title").textContent = document.title = Words.text("app");
  fillLabels();
  filterList();
  remember();
}
function filterList() {
  const wanted = byId("find").value.toLocaleLowerCase();
  Page.found = [...stored.keys()].filter((place) => {
    const { game, file, players } = gameAt(place);
    return [game, file, ...players].some((text) => text.toLocaleLowerCase().includes(wanted));
  });
  Page.listed = 0;
  put(byId("games"));
  put(byId("found"), ...Words.fill("found", { n: Page.found.length, m: stored.length }));
  extendList();
}
function extendList() {
  const places = Page.found.slice(Page.listed, Page.listed + SHOWN_AT_ONCE);
  byId("games").append(...places.map(listRow));
  Page.listed += places.length;
  byId("more").hidden = Page.listed >= Page.found.length;
}
function listRow(place) {
  const { game, file, line: at, players, end, stop, events } = gameAt(place);
  const names = players.map((name, seat) => {
    const won = end && end.winners.includes(seat);
    return h("span", { class: won ? "player won" : "player" }, won ? h("span", { title: Words.text("winner") }, "\u2605 ") : null,
      h("bdi", {}, name), end ? ` ${Words.number(end.scores[seat])}` : null);
  });
  const state = stop ? h("span", { class: "flag bad" }, Words.text(stop.why ? "state_broken" : "state_open")) : null;
  const rounds = events.filter(isRound).length;
  return h("tr", {}, h("td", {}, h("button", { type: "button", class: "link", onclick: () => { open(place); remember(); } }, h("bdi", {}, game || "?")), " ", state),
    h("td", {}, names), h("td", { class: "number" }, String(rounds)),
    h("td", { class: "file" }, h("bdi", {}, Words.plain("file_line", { file, n: at }))));
}

// --- Where one is, kept in the address so that it can be kept and sent: #GAME-STEP ---

// Only when one has come to rest: browsers refuse a page that changes its address too often.
let resting = null;
function remember() {
  clearTimeout(resting);
  resting = setTimeout(() => {
    history.replaceState(null, "", Page.game ? `#${Page.place + 1}-${Page.index}` : "#");
  }, 500);
}
function recall() {
  const [, place, index] = /^#(\d+)-(\d+)$/.exec(location.hash) ?? [];
  if (place && Number(place) >= 1 && Number(place) <= stored.length) open(Number(place) - 1, Number(index));
  else if (stored.length === 1) open(0);
  else showList();
}

// --- Hands ---

const step = (by) => { play(false); go(Page.index + by, true); };
byId("first").addEventListener("click", () => { play(false); go(0); });
byId("back").addEventListener("click", () => step(-1));
byId("next").addEventListener("click", () => step(1));
byId("last").addEventListener("click", () => { play(false); go(Page.steps.length - 1); });
byId("play").addEventListener("click", () => {
  if (Page.timer === null && Page.index === Page.steps.length - 1) go(0);
  play(Page.timer === null);
});
byId("speed").addEventListener("change", () => { if (Page.timer !== null) play(true); });
byId("slider").addEventListener("input", (event) => { play(false); go(Number(event.target.value)); });
byId("view").addEventListener("change", (event) => {
  Page.viewer = event.target.value === "" ? null : Number(event.target.value);
  render();
});
byId("language").addEventListener("change", (event) => {
  Words.lang = event.target.value;
  if (Page.game) {
    byId("title").textContent = document.title = Words.plain("title", { game: Page.game.game });
    fillLabels();
  } else showList();
});
byId("colours").addEventListener("change", (event) => { document.documentElement.dataset.colours = event.target.value; });
byId("to-list").addEventListener("click", showList);
byId("show-cards").addEventListener("click", () => byId("cards").showModal());
byId("find").addEventListener("input", filterList);
byId("more").addEventListener("click", extendList);
byId("copy").addEventListener("click", async () => {
  const text = byId("at").textContent;
  try {
    await navigator.clipboard.writeText(text);
    byId("copy").textContent = Words.text("copied");
    setTimeout(() => { byId("copy").textContent = Words.text("copy"); }, 1500);
  } catch {
    getSelection().selectAllChildren(byId("at")); // no leave to write the clipboard: mark it instead
  }
});
document.addEventListener("keydown", (event) => {
  if (!Page.game || byId("cards").open || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest("select, input:not([type=range])")) return;
  const pressed = event.target.closest("button, summary, a");
  const does = {
    ArrowRight: () => (event.shiftKey ? goRound(1) : step(1)),
    ArrowLeft: () => (event.shiftKey ? goRound(-1) : step(-1)),
    Home: () => byId("first").click(),
    End: () => byId("last").click(),
    " ": pressed ? undefined : () => byId("play").click(),
  }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
});
let touch = null;
byId("game").addEventListener("touchstart", (event) => {
  const inner = event.target.closest("#discard ol, table");
  touch = event.touches.length === 1 && !inner ? event.touches[0] : null;
}, { passive: true });
byId("game").addEventListener("touchend", (event) => {
  if (!touch) return;
  const [end] = event.changedTouches;
  const x = end.clientX - touch.clientX, y = end.clientY - touch.clientY;
  touch = null;
  if (Math.abs(x) > 45 && Math.abs(x) > 2 * Math.abs(y)) step(x < 0 ? 1 : -1);
}, { passive: true });
window.addEventListener("beforeprint", showTranscript);
window.addEventListener("hashchange", recall);

put(byId("language"), ...Object.keys(SETUP.texts).map((lang) =>
  h("option", { value: lang, lang }, SETUP.texts[lang].language)));
byId("language").value = Words.lang;
recall();
