const index = JSON.parse($("index").textContent);
const TABS = [["instruction", "Instruction", instructionPanel], ["registers", "Registers", registersPanel], ["waits", "Waits", waitsPanel], ["messages", "Messages", messagesPanel], ["flow", "Flow", graphPanel], ["passes", "Passes", passesPanel], ["compare", "Compare", comparePanel]];
const KEYS = [["↑ ↓  or  k j", "previous, next row"], ["[  ]", "previous, next block"], ["← →", "to the other listing"], ["p", "the register peak"], ["w", "next long wait"], ["s", "next scratch message"], ["o", "where this comes from"], ["/  n  N", "find, next, previous"], ["a", "align the two codes"], ["1 … 7", "details"], ["i", "details on and off"], ["{  }", "previous, next kernel"], ["t", "light or dark"], ["?", "this list"]];

const state = {
  selected: -1, line: -1, hovered: null, tab: "instruction", registersWhere: "peak", focus: "code", aligned: false, found: "",
  visible() { const [from, until] = lists.code.range(); return [this.instAt(from), this.instAt(until - 1) + 1]; },
  // The instruction in a row of our listing; rows that only the other code has stand for the one before.
  instAt(rowNumber) {
    if (!this.aligned) return Math.max(0, Math.min(this.codes[0].text.length - 1, rowNumber));
    for (let r = Math.min(rowNumber, this.data.aligned.length - 1); r >= 0; r--) if (this.data.aligned[r][1] >= 0) return this.data.aligned[r][1];
    return 0;
  },
  rowOf(at, side = 0) { return this.aligned ? this.rowsOf[side][at] ?? -1 : at; },
  registersAt() { const code = this.codes[0]; return this.registersWhere === "here" && this.selected >= 0 ? this.selected : code.peak; },
  messageAt(at) { return this.codes[0].messages[this.messageIndex.get(at)] || null; },
  openRegisters() { this.registersWhere = "here"; this.open("registers"); },

  // Chooses an instruction of our code, and with it its line of vISA.
  select(at, keep) {
    this.selected = at;
    this.line = at >= 0 ? this.codes[0].origins[at] : -1;
    if (at >= 0 && keep !== "code") lists.code.reveal(this.rowOf(at));
    if (this.line >= 0 && keep !== "visa") lists.visa.reveal(this.line);
    this.refresh();
  },
  // Chooses a line of vISA, and with it the first instruction that is for it.
  selectLine(line) {
    const insts = this.byLine[line] || [];
    this.selected = insts.length ? insts[0] : -1;
    this.line = line;
    lists.visa.reveal(line);
    if (insts.length) lists.code.reveal(this.rowOf(insts[0]));
    this.refresh();
  },
  refresh() {
    markLists();
    this.strip();
    if (this.tab !== "passes" && this.tab !== "compare") this.panel(true);
  },
  strip() { if (!this.pending) this.pending = requestAnimationFrame(() => { this.pending = 0; this.locate = drawStrip(this); }); },
  open(tab) { this.tab = tab; $("panes").classList.remove("alone"); this.panel(); },
  panel(keepPlace) {
    const panel = $("panel"), top = panel.scrollTop;
    panel.className = "";
    panel.replaceChildren();
    for (const b of $("tabs").children) { const on = b.dataset.tab === this.tab; b.setAttribute("aria-selected", String(on)); b.tabIndex = on ? 0 : -1; }
    TABS.find(t => t[0] === this.tab)[2](this, panel);
    panel.scrollTop = keepPlace && this.tab !== "instruction" ? top : 0;
  },
};
const lists = {};

// A line of a listing in parts: predicate, opcode, the rest, options.
function parts(text) {
  const m = text.match(/^(\([^)]*\)\s*)?(\S+)(.*?)(\{[^{}]*\})?$/);
  if (!m) return [text];
  return [m[1] ? h("span", "dim", m[1].trim() + " ") : null, h("b", "", m[2]), m[3], m[4] ? h("span", "dim", m[4]) : null];
}

function visaRow(n) {
  const number = state.data.numbers[n];
  const text = state.data.visa[n], code = h("span", "", ...(number < 0 ? [text] : parts(text.trim())));
  if (number < 0) code.className = "dim";
  return [h("span", "at", number < 0 ? "" : String(number)), code];
}

function codeRow(code, at, most) {
  const bar = h("span", "bar"), fill = h("i");
  fill.style.width = code.live[at] / most * 100 + "%";
  bar.title = code.live[at] + " registers in use";
  bar.append(fill);
  const wait = code.waits[at], message = code.comments[at].split("; ").slice(1).join("; ");
  const w = h("span", wait >= 40 ? "wait long" : "wait", wait ? String(wait) : "");
  if (wait) w.title = `waits ${wait} cycles`;
  return [h("span", "at", hex(code.offsets[at])), bar, w, h("span", "", ...parts(code.text[at]), message ? h("span", "dim", "   " + message) : null)];
}

function makeLists() {
  const area = id => document.querySelector(`#${id} .list`);
  for (const id of ["visa-pane", "code-pane", "other-pane"]) area(id).classList.add("code");
  const most = () => Math.max(1, ...state.codes.map(c => c.counts.peak));
  const at = (side, n) => state.aligned ? state.data.aligned[n][side + 1] : n;
  const fill = side => n => { const i = at(side, n); return i < 0 ? [" "] : codeRow(state.codes[side], i, most()); };
  lists.visa = new List(area("visa-pane"), ROW, visaRow);
  lists.code = new List(area("code-pane"), ROW, fill(0));
  lists.other = new List(area("other-pane"), ROW, fill(1));
  lists.visa.classes = n => [n === state.line ? "selected" : "", isLinked("visa", n) ? "linked" : "", state.isFound(state.data.visa[n]) ? "found" : "", state.byLine[n] || state.data.numbers[n] >= 0 ? "" : "note"].join(" ");
  const classes = side => n => {
    const i = at(side, n), tag = state.aligned ? state.data.aligned[n][0] : "=";
    if (i < 0) return tag === "=" ? "" : "only";
    const chosen = state.aligned ? state.selected >= 0 && state.rowOf(state.selected) === n : side === 0 && i === state.selected;
    return [chosen ? "selected" : "", side === 0 && isLinked("code", i) ? "linked" : "", tag === "=" ? "" : "only", state.isFound(state.codes[side].text[i]) ? "found" : "", state.leaders[side].has(i) && i ? "leads" : ""].join(" ");
  };
  lists.code.classes = classes(0);
  lists.other.classes = classes(1);
  lists.visa.onPick = n => { state.focus = "visa"; state.selectLine(n); };
  lists.code.onPick = n => { state.focus = "code"; const i = at(0, n); if (i >= 0) state.select(i, "code"); };
  lists.other.onPick = n => { if (state.aligned && at(0, n) >= 0) state.select(at(0, n)); };
  const hover = where => n => {
    const line = n < 0 ? -1 : where === "visa" ? n : at(0, n) >= 0 ? state.codes[0].origins[at(0, n)] : -1;
    if (line === state.hovered) return;
    state.hovered = line;
    markLists();
  };
  lists.visa.onHover = hover("visa");
  lists.code.onHover = hover("code");
  lists.code.onScroll = () => { state.strip(); if (state.aligned) follow(lists.code, lists.other); };
  lists.other.onScroll = () => { if (state.aligned) follow(lists.other, lists.code); };
}
function follow(from, to) {
  if (Math.abs(to.element.scrollTop - from.element.scrollTop) > 1) to.element.scrollTop = from.element.scrollTop;
}
// Whether a row has to do with the line that the pointer is on, or else the chosen one.
function isLinked(where, n) {
  const line = state.hovered >= 0 && state.hovered !== null ? state.hovered : state.line;
  if (line < 0) return false;
  return where === "visa" ? n === line : state.codes[0].origins[n] === line;
}
function markLists() { for (const list of Object.values(lists)) list.mark(); }
state.isFound = text => state.found !== "" && text.toLowerCase().includes(state.found);

function figures() {
  const [ours, other] = state.codes, a = ours.counts, b = other?.counts;
  const scratch = c => c.scratch_reads + c.scratch_writes;
  const entries = [["vISA", state.data.visa_instructions], ["Gen", a.instructions, b?.instructions], ["Bytes", a.bytes, b?.bytes], ["Messages", a.sends, b?.sends], ["Scratch messages", scratch(a), b && scratch(b)], ["Registers at the peak", a.peak, b?.peak], ["Cycles, loops 8×", a.cycles_in_loops, b?.cycles_in_loops]];
  if (a.sync || b?.sync) entries.push(["sync", a.sync, b?.sync]);
  const time = state.data.passes.reduce((t, p) => t + p[2], 0);
  const items = entries.map(([name, value, beside]) => {
    const dd = h("dd", "", many(value));
    const item = h("div", beside > value ? "less" : "", h("dt", "", name), dd);
    if (beside !== undefined) {
      const change = beside ? (value - beside) / beside * 100 : 0;
      dd.append(" ", h("small", "", value === beside ? "same" : beside ? (change > 0 ? "+" : "−") + Math.abs(change).toFixed(1) + " %" : "of 0"));
      dd.title = `${other.label}: ${many(beside)}`;
    }
    return item;
  });
  items.push(h("div", "", h("dt", "", "Time to finalize"), h("dd", "", time.toFixed(time < 10 ? 2 : 0), h("small", "", " ms"))));
  $("figures").replaceChildren(...items);
}

function setAligned(on) {
  const at = state.selected >= 0 ? state.selected : state.instAt(lists.code.range()[0]);
  state.aligned = on && state.codes.length > 1;
  $("align").setAttribute("aria-pressed", String(state.aligned));
  const rows = side => state.aligned ? state.data.aligned.length : state.codes[side]?.text.length || 0;
  lists.code.show(rows(0));
  lists.other.show(rows(1));
  lists.code.reveal(state.rowOf(at), true);
  state.strip();
}

function openKernel(number) {
  const summary = index.kernels[number];
  state.number = number;
  state.data = JSON.parse($("kernel-" + number).textContent);
  state.codes = state.data.codes;
  const code = state.codes[0];
  Object.assign(state, { selected: -1, line: -1, hovered: null, aligned: false, registersWhere: "peak" });
  state.byLine = [];
  code.origins.forEach((line, i) => { if (line >= 0) (state.byLine[line] ||= []).push(i); });
  state.leaders = state.codes.map(c => new Set(c.blocks));
  state.messageIndex = new Map(code.messages.map((m, i) => [m.at, i]));
  state.rowsOf = [[], []];
  state.data.aligned.forEach(([, a, b], r) => { if (a >= 0) state.rowsOf[0][a] = r; if (b >= 0) state.rowsOf[1][b] = r; });
  document.title = `${summary.name} – visa-finalize`;
  $("kernel-name").textContent = summary.name;
  $("kernel-name").title = summary.name;
  $("kernel-facts").textContent = `${summary.platform}, SIMD${summary.simd}, ${summary.file.split("/").pop()}`;
  $("kernel-facts").title = `${summary.file}, visa-finalize ${index.version}`;
  const two = state.codes.length > 1;
  $("panes").classList.toggle("two", two);
  $("other-pane").hidden = !two;
  $("align").hidden = !two;
  const head = (id, text) => { document.querySelector(`#${id} h2 small`).textContent = text; };
  head("visa-pane", plural(state.data.visa_instructions, "instruction"));
  head("code-pane", plural(code.text.length, "instruction"));
  if (two) {
    document.querySelector("#other-pane h2 span").textContent = state.codes[1].label;
    head("other-pane", plural(state.codes[1].text.length, "instruction"));
  }
  for (const b of $("tabs").children) if (b.dataset.tab === "compare") b.hidden = !two;
  if (state.tab === "compare" && !two) state.tab = "instruction";
  lists.visa.show(state.data.visa.length);
  setAligned(two);
  lists.code.element.scrollTop = 0;
  const first = state.data.numbers.findIndex(n => n >= 0);
  lists.visa.element.scrollTop = Math.max(0, first - 3) * ROW;
  figures();
  if (code.text.length) state.select(0, "code");
  state.panel();
  lists.kernels?.mark();
}

function makeKernels() {
  if (index.kernels.length < 2) return;
  $("kernels").hidden = false;
  let shown = index.kernels.map((_, i) => i);
  const list = lists.kernels = new List($("kernel-list"), 44, n => {
    const k = index.kernels[shown[n]], scratch = k.counts.scratch_reads + k.counts.scratch_writes;
    return [h("b", "", k.name), h("span", "", `${k.platform}, ${many(k.counts.instructions)} instructions${scratch ? `, ${many(scratch)} scratch` : ""}`)];
  });
  list.classes = n => shown[n] === state.number ? "selected" : "";
  list.onPick = n => openKernel(shown[n]);
  $("kernel-filter").addEventListener("input", event => {
    const text = event.target.value.toLowerCase();
    shown = index.kernels.map((_, i) => i).filter(i => (index.kernels[i].name + " " + index.kernels[i].platform).toLowerCase().includes(text));
    list.show(shown.length);
  });
  list.show(shown.length);
}

function makeTabs() {
  for (const [tab, name] of TABS) {
    const b = h("button", "", name);
    Object.assign(b, { type: "button", role: "tab" });
    b.dataset.tab = tab;
    b.addEventListener("click", () => state.open(tab));
    $("tabs").append(b);
  }
}

// Follows the system's choice of colours until the reader makes one.
function makeTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)"), root = document.documentElement;
  const set = theme => { root.dataset.theme = theme; if (state.codes) { state.strip(); state.panel(true); } };
  const wanted = new URLSearchParams(location.hash.slice(1)).get("theme");
  let isChosen = wanted !== null;
  set(wanted || (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => { if (!isChosen) set(dark.matches ? "dark" : "light"); });
  state.toggleTheme = () => { isChosen = true; set(root.dataset.theme === "dark" ? "light" : "dark"); };
  $("theme").addEventListener("click", state.toggleTheme);
}

function move(by) {
  if (state.focus === "visa") {
    let line = Math.max(0, Math.min(state.data.visa.length - 1, state.line + by));
    while (state.data.numbers[line] < 0 && line + by >= 0 && line + by < state.data.visa.length) line += by;
    state.selectLine(line);
  } else {
    const n = state.codes[0].text.length;
    if (n) state.select(Math.max(0, Math.min(n - 1, state.selected + by)));
  }
}
function moveBlock(by) {
  const code = state.codes[0];
  const block = state.selected < 0 ? 0 : blockOf(code, state.selected) + by;
  if (block >= 0 && block < code.blocks.length) state.select(code.blocks[block]);
}
// The next instruction behind the chosen one for which something holds, around the end.
function seek(holds, by = 1) {
  const n = state.codes[0].text.length;
  for (let step = 1; step <= n; step++) {
    const at = (state.selected + by * step + 2 * n) % n;
    if (holds(at)) return state.select(at);
  }
}
function find(by) {
  const code = state.codes[0];
  if (state.found) seek(i => state.isFound(code.text[i]) || state.isFound(code.comments[i]) || code.origins[i] >= 0 && state.isFound(state.data.visa[code.origins[i]]), by);
}

const ACTIONS = {
  ArrowDown: () => move(1), ArrowUp: () => move(-1), j: () => move(1), k: () => move(-1),
  ArrowLeft: () => focusPane("visa"), ArrowRight: () => focusPane("code"),
  "]": () => moveBlock(1), "[": () => moveBlock(-1),
  p: () => state.codes[0].peak >= 0 && state.select(state.codes[0].peak),
  w: () => seek(i => state.codes[0].waits[i] >= 40),
  s: () => seek(i => state.messageAt(i)?.scratch),
  o: () => state.line >= 0 && (state.focus = state.focus === "visa" ? "code" : "visa", focusPane(state.focus)),
  n: () => find(1), N: () => find(-1),
  a: () => setAligned(!state.aligned),
  i: () => showDetails($("panes").classList.contains("alone")),
  t: () => state.toggleTheme(),
  "/": () => $("search").focus(),
  "?": () => $("help").showModal(),
  "}": () => state.number + 1 < index.kernels.length && openKernel(state.number + 1),
  "{": () => state.number > 0 && openKernel(state.number - 1),
};
// The listings alone have more room.
function showDetails(on) {
  $("panes").classList.toggle("alone", !on);
  if (on) state.panel(true);
}
function focusPane(which) {
  state.focus = which;
  lists[which].element.focus({ preventScroll: true });
}

function makeKeys() {
  $("keys").append(...KEYS.flatMap(([key, what]) => [h("dt", "", key), h("dd", "", what)]));
  $("help-open").addEventListener("click", () => $("help").showModal());
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    if (event.target.tagName === "INPUT") {
      if (event.key === "Escape") event.target.blur();
      if (event.key === "Enter" && event.target.id === "search") { find(event.shiftKey ? -1 : 1); event.target.blur(); }
      return;
    }
    const tab = TABS[Number(event.key) - 1];
    if (tab && (tab[0] !== "compare" || state.codes.length > 1)) return state.open(tab[0]);
    if (event.target.closest?.("#tabs") && event.key.startsWith("Arrow")) {
      const open = TABS.filter(t => t[0] !== "compare" || state.codes.length > 1), at = open.findIndex(t => t[0] === state.tab);
      state.open(open[(at + (event.key === "ArrowRight" ? 1 : open.length - 1)) % open.length][0]);
      document.querySelector("#tabs [aria-selected='true']").focus();
      return event.preventDefault();
    }
    const action = ACTIONS[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  $("search").addEventListener("input", event => { state.found = event.target.value.trim().toLowerCase(); markLists(); });
  $("align").addEventListener("click", () => setAligned(!state.aligned));
}

function makeStrip() {
  const strip = $("strip-canvas"), tip = $("strip-tip");
  const at = event => state.locate ? state.locate(event.clientX - strip.getBoundingClientRect().left) : -1;
  strip.addEventListener("click", event => { const i = at(event); if (i >= 0) state.select(i); });
  strip.addEventListener("mousemove", event => {
    const i = at(event), code = state.codes[0];
    if (i < 0 || !code.text.length) return;
    tip.hidden = false;
    tip.textContent = `${hex(code.offsets[i])}  ${opcode(code.text[i])}: ${code.live[i]} in use${code.waits[i] ? `, waits ${code.waits[i]}` : ""}`;
    const x = event.clientX - strip.getBoundingClientRect().left;
    tip.style.left = Math.min(x + 12, strip.clientWidth - tip.offsetWidth - 8) + "px";
  });
  strip.addEventListener("mouseleave", () => { tip.hidden = true; });
  new ResizeObserver(() => state.codes && state.strip()).observe(strip);
}

makeTheme();
makeTabs();
makeLists();
makeKernels();
makeKeys();
makeStrip();
// Where a link into the page leads: #kernel=2&at=17&tab=registers
const wish = new URLSearchParams(location.hash.slice(1));
openKernel(Math.min(index.kernels.length - 1, Number(wish.get("kernel")) || 0));
if (wish.has("at")) state.select(wish.get("at") === "peak" ? state.codes[0].peak : Math.min(state.codes[0].text.length - 1, Number(wish.get("at"))));
if (TABS.some(t => t[0] === wish.get("tab"))) state.open(wish.get("tab"));
document.documentElement.dataset.errors ||= "0";
document.documentElement.dataset.ready = String(Math.round(performance.now()));
