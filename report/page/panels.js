// What is said beside the listings. Each panel fills an element and reads the state.
const registers = (first, count) => count > 1 ? `r${first}–r${first + count - 1}` : `r${first}`;

function instLink(state, at, code = state.codes[0]) {
  const link = linkTo(hex(code.offsets[at]), () => state.select(at), code.text[at]);
  return link;
}

// The first instruction from `from` to `until` that touches a register.
function nextTouch(lists, first, count, from, until) {
  for (let i = from; i < until; i++) {
    const list = lists[i];
    for (let k = 0; k < list.length; k += 2) if (list[k] < first + count && first < list[k] + list[k + 1]) return i;
  }
  return -1;
}
function lastTouch(lists, first, count, from, until) {
  for (let i = until - 1; i >= from; i--) {
    const list = lists[i];
    for (let k = 0; k < list.length; k += 2) if (list[k] < first + count && first < list[k] + list[k + 1]) return i;
  }
  return -1;
}

function row(cells, classes = []) {
  return h("tr", "", ...cells.map((c, i) => h("td", classes[i] || "", c)));
}
function table(heads, classes, rows) {
  return h("table", "", h("thead", "", h("tr", "", ...heads.map((t, i) => h("th", classes[i] === "n" ? "n" : "", t)))),
    h("tbody", "", ...rows));
}
// The opcode, which may stand behind a predicate.
const opcode = text => (text.match(/^(?:\([^)]*\)\s*)?(\S+)/) || ["", ""])[1];

function instructionPanel(state, panel) {
  const code = state.codes[0], at = state.selected, data = state.data;
  if (at < 0) {
    const line = state.line;
    if (line >= 0) {
      panel.append(h("h3", "", "vISA"), h("pre", "", data.visa[line].trim()),
        h("p", "note", data.numbers[line] < 0 ? "A declaration or label: no code is for it alone." : "No instruction was left for it: another does its work, or nobody reads its result."));
      return;
    }
    panel.append(h("p", "note", "Choose an instruction: in a listing, in the chart above, or with the arrow keys."));
    return;
  }
  panel.append(h("h3", "", `Instruction ${many(at + 1)} of ${many(code.text.length)}, ${hex(code.offsets[at])}`), h("pre", "", code.text[at]));
  const origin = code.origins[at];
  panel.append(h("h3", "", "Comes from"));
  if (origin >= 0) {
    const others = state.byLine[origin].filter(i => i !== at);
    panel.append(h("pre", "", data.visa[origin].trim()));
    if (others.length) {
      const p = h("p", "", "With it: ");
      others.slice(0, 24).forEach((i, k) => p.append(k ? ", " : "", instLink(state, i)));
      if (others.length > 24) p.append(` and ${others.length - 24} more`);
      panel.append(p);
    }
  } else panel.append(h("p", "note", "No single vISA instruction: the start of the kernel, a wait, or a move between blocks."));

  panel.append(h("h3", "", "Time"));
  const time = h("p", "", `Takes ${plural(code.issue[at], "cycle")} to issue`);
  if (code.waits[at]) {
    time.append(`, after waiting ${plural(code.waits[at], "cycle")}`);
    if (code.waits_on[at] >= 0) time.append(" for ", instLink(state, code.waits_on[at]), " ", h("code", "", opcode(code.text[code.waits_on[at]])));
  }
  time.append(".");
  panel.append(time);

  const message = code.messages.find(m => m.at === at);
  if (message) messageTable(panel, message);

  const touching = code.values.filter(v => v[0] <= at && at < v[1] && touches(code, at, v));
  if (touching.length) {
    panel.append(h("h3", "", "Registers it touches"));
    valueTable(state, panel, touching, at);
  }
  panel.append(h("h3", "", "In use here"), h("p", "", `${plural(code.live[at], "register")} of ${data.grf_count}. `,
    linkTo("What they hold", () => state.openRegisters(at))));
}

function touches(code, at, [, , first, count]) {
  const has = list => { for (let k = 0; k < list.length; k += 2) if (list[k] < first + count && first < list[k] + list[k + 1]) return true; return false; };
  return has(code.reads[at]) || has(code.writes[at]);
}

function messageTable(panel, m) {
  const facts = [["Function", m.function], ["Asks for", m.meaning || "not known: its descriptor is in a register"]];
  facts.push(["Payload", plural(m.lengths[0], "register") + (m.lengths[1] ? ` and ${m.lengths[1]}` : "") + (m.header ? ", with a header" : "")]);
  facts.push(["Response", plural(m.lengths[2], "register")]);
  if (m.surface !== null) facts.push(["Surface", surfaceName(m.surface)]);
  if (m.in_register) facts.push(["Descriptor", (m.descriptor === null ? "" : hex(m.descriptor) + ", and ") + "what a0 adds when the code runs"]);
  else if (m.descriptor !== null) facts.push(["Descriptor", hex(m.descriptor)]);
  if (m.scratch) facts.push(["Scratch memory", m.reads ? "fills registers that were spilled, or a frame" : "spills registers, or writes a frame"]);
  if (m.eot) facts.push(["End of thread", "yes"]);
  panel.append(h("h3", "", "Message"), h("table", "", h("tbody", "", ...facts.map(f => row(f)))));
}
function surfaceName(n) {
  return { 255: "255: the whole address space", 254: "254: shared local memory", 253: "253: the whole address space, incoherent", 252: "252: bindless", 251: "251: scratch" }[n] || "binding table entry " + n;
}

// Values with who makes them, who reads them next, and how long they are held.
function valueTable(state, panel, values, at) {
  const code = state.codes[0];
  const rows = values.slice(0, 300).map(([start, end, first, count]) => {
    const isMade = nextTouch(code.writes, first, count, start, start + 1) >= 0;
    const origin = code.origins[start];
    const made = isMade ? h("span", "", instLink(state, start), " ", h("code", "", opcode(code.text[start])))
      : start === 0 ? "an input" : h("span", "", "before ", instLink(state, start));
    if (isMade && origin >= 0) made.title = state.data.visa[origin].trim();
    const next = nextTouch(code.reads, first, count, at + 1, end);
    const last = lastTouch(code.reads, first, count, start, end);
    const need = next >= 0 ? instLink(state, next) : end - 1 > at ? "around the loop" : "here";
    const tr = row([registers(first, count), made, need, last >= 0 ? instLink(state, last) : "", many(end - start)], ["code", "", "", "", "n"]);
    return tr;
  });
  panel.append(table(["", "made at", "next read", "last read", "held"], ["", "", "", "", "n"], rows));
  if (values.length > 300) panel.append(h("p", "note", `and ${many(values.length - 300)} more`));
}

function registersPanel(state, panel) {
  const code = state.codes[0], at = state.registersAt();
  if (at < 0) return;
  const choice = h("div", "switch");
  for (const [name, value] of [["At the peak", "peak"], ["At the selection", "here"]]) {
    const b = h("button", "", name);
    b.type = "button";
    b.setAttribute("aria-pressed", String(state.registersWhere === value));
    b.disabled = value === "here" && state.selected < 0;
    b.addEventListener("click", () => { state.registersWhere = value; state.panel(); });
    choice.append(b);
  }
  panel.append(choice, h("p", "lead", `${code.live[at]} of ${state.data.grf_count} registers in use at `, instLink(state, at)));
  const map = h("canvas");
  map.id = "map";
  map.setAttribute("role", "img");
  map.setAttribute("aria-label", "What each register holds over the code");
  panel.append(map, h("p", "note", `Registers from left to right, r0 to r${code.counts.registers - 1}; the code from top to bottom.`));
  const locate = drawMap(state, map);
  map.addEventListener("click", event => state.select(locate(event)[0]));
  map.addEventListener("mousemove", event => {
    const [inst, register] = locate(event);
    const value = code.values.find(v => v[0] <= inst && inst < v[1] && v[2] <= register && register < v[2] + v[3]);
    map.title = value ? `${registers(value[2], value[3])}: ${hex(code.offsets[value[0]])} to ${hex(code.offsets[value[1] - 1])}\n${code.text[value[0]]}` : `r${register} at ${hex(code.offsets[inst])}: free`;
  });
  const alive = code.values.filter(v => v[0] <= at && at < v[1]).sort((a, b) => b[3] - a[3] || (b[1] - b[0]) - (a[1] - a[0]));
  const idle = alive.filter(v => lastTouch(code.reads, v[2], v[3], Math.max(v[0], at - 200), at + 1) < 0 && nextTouch(code.reads, v[2], v[3], at + 1, Math.min(v[1], at + 200)) < 0 && v[0] < at - 200);
  if (idle.length) panel.append(h("p", "", `${plural(idle.reduce((n, v) => n + v[3], 0), "register")} of them hold what nobody reads 200 instructions before and after.`));
  if (code.indirect) panel.append(h("p", "note", `${plural(code.indirect, "instruction")} reach registers through addresses, which is not followed here.`));
  valueTable(state, panel, alive, at);
}

function waitsPanel(state, panel) {
  const code = state.codes[0];
  const total = sum(code.waits, 0, code.waits.length), cycles = code.counts.cycles;
  panel.append(h("p", "lead", `${many(total)} of ${many(cycles)} cycles are waits`),
    h("p", "note", "One thread alone, each instruction executed once, results after the latencies of the scheduler's model. On hardware other threads run meanwhile."));
  const causes = new Map();
  code.waits.forEach((w, i) => {
    if (!w) return;
    const on = code.waits_on[i], m = on >= 0 ? state.messageAt(on) : null;
    const name = on < 0 ? "other" : m ? (m.scratch ? "scratch" : "message to " + m.function) : opcode(code.text[on]);
    causes.set(name, (causes.get(name) || 0) + w);
  });
  const sorted = [...causes].sort((a, b) => b[1] - a[1]), most = sorted[0]?.[1] || 1;
  if (sorted.length) {
    panel.append(h("h3", "", "What is waited for"), h("table", "", h("tbody", "", ...sorted.slice(0, 10).map(([name, w]) => {
      const meter = h("span", "meter");
      meter.style.width = w / most * 100 + "%";
      return row([h("code", "", name), meter, many(w)], ["", "wide", "n"]);
    }))));
  }
  const longest = code.waits.map((w, i) => [w, i]).filter(w => w[0]).sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, 200);
  if (longest.length) panel.append(h("h3", "", "Longest waits"), table(["at", "", "cycles", "for"], ["", "", "n", ""], longest.map(([w, i]) => {
    const on = code.waits_on[i];
    const cause = on >= 0 ? h("span", "", instLink(state, on), " ", h("code", "", opcode(code.text[on]))) : "";
    const tr = row([instLink(state, i), opcode(code.text[i]), many(w), cause], ["", "code", "n", ""]);
    if (i === state.selected) tr.className = "chosen";
    return tr;
  })));
}

function messagesPanel(state, panel) {
  const code = state.codes[0];
  panel.className = "bare";
  const kinds = new Map();
  code.messages.forEach(m => kinds.set(m.function, (kinds.get(m.function) || 0) + 1));
  const scratch = code.messages.filter(m => m.scratch);
  const spills = scratch.length ? `${scratch.filter(m => m.reads).length} read scratch memory and ${scratch.filter(m => !m.reads).length} write it; ${many(state.data.spill_bytes)} bytes of it are for spills.` : "None goes to scratch memory: nothing is spilled.";
  const list = h("div", "list messages");
  list.tabIndex = 0;
  panel.append(h("div", "panel-head", h("p", "lead", plural(code.messages.length, "message") + ": " + [...kinds].sort((a, b) => b[1] - a[1]).map(([k, n]) => `${n} ${k}`).join(", ")), h("p", "note", spills)), list);
  const rows = new List(list, ROW, n => {
    const m = code.messages[n];
    return [h("span", "at", hex(code.offsets[m.at])), h("span", "fn dim", m.function), h("span", m.scratch ? "scratch" : "", m.meaning || "descriptor in a register")];
  });
  rows.classes = n => code.messages[n].at === state.selected ? "selected" : "";
  rows.onPick = n => state.select(code.messages[n].at);
  rows.show(code.messages.length);
  const chosen = code.messages.findIndex(m => m.at === state.selected);
  if (chosen >= 0) rows.reveal(chosen);
}

function passesPanel(state, panel) {
  const passes = state.data.passes, total = passes.reduce((t, p) => t + p[2], 0);
  const most = Math.max(...passes.map(p => p[2]), 1e-9);
  panel.append(h("p", "lead", `${total.toFixed(2)} ms from vISA to code`), h("p", "note", "Measured when this page was made, in the order in which passes run."));
  panel.append(h("table", "", h("tbody", "", ...passes.map(([name, about, ms]) => {
    const meter = h("span", "meter");
    meter.style.width = ms / most * 100 + "%";
    const tr = row([h("code", "", name), meter, ms.toFixed(3)], ["", "wide", "n"]);
    tr.title = about;
    return tr;
  }))));
}

const FIGURES = [["instructions", "Instructions"], ["bytes", "Bytes"], ["compacted", "Compacted"], ["sends", "Messages"], ["scratch_reads", "Scratch reads"], ["scratch_writes", "Scratch writes"], ["sync", "sync"], ["padding", "nop and padding"], ["cycles", "Cycles, executed once"], ["cycles_in_loops", "Cycles, loops 8 times"], ["peak", "Registers at the peak"], ["registers", "Registers named"]];
function comparePanel(state, panel) {
  const [ours, other] = state.codes;
  panel.append(table(["", "ours", other.label, ""], ["", "n", "n", "n"], FIGURES.map(([key, name]) => {
    const a = ours.counts[key], b = other.counts[key];
    const change = b ? (100 * (a - b) / b) : 0;
    return row([name, many(a), many(b), a === b ? "" : b ? (change > 0 ? "+" : "−") + Math.abs(change).toFixed(1) + " %" : ""], ["", "n", "n", "n"]);
  })));
  const equal = state.data.aligned.filter(r => r[0] === "=").length;
  panel.append(h("p", "", `${many(equal)} of our ${many(ours.text.length)} instructions stand in both codes in the same order, whatever their registers, masks and options.`),
    h("p", "note", "Shaded rows stand in one code only."));
}
