// The control flow: blocks from top to bottom in the order of the code; what does not fall through runs beside them,
// forward on the right, backward on the left. Only what is in sight is in the document.
const SVG = "http://www.w3.org/2000/svg";
function s(tag, attributes, ...contents) {
  const e = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...contents);
  return e;
}

// Lanes for edges that run beside the blocks: edges that overlap get different ones.
function lanes(edges) {
  const ends = [];
  edges.sort((a, b) => (a.bottom - a.top) - (b.bottom - b.top) || a.top - b.top);
  const taken = [];
  for (const e of edges) {
    let lane = 0;
    while (taken[lane]?.some(o => o.top <= e.bottom && e.top <= o.bottom)) lane++;
    lane = Math.min(lane, 15);
    (taken[lane] ||= []).push(e);
    e.lane = lane;
    ends[lane] = true;
  }
  return ends.length;
}

function layOut(code) {
  const blocks = code.blocks.map((first, b) => {
    const end = code.blocks[b + 1] ?? code.text.length;
    return { b, first, count: end - first, depth: code.depth[b], waits: sum(code.waits, first, end) };
  });
  let y = 16;
  for (const block of blocks) {
    block.top = y;
    block.height = 34 + Math.min(46, Math.sqrt(block.count) * 4);
    y += block.height + 22;
  }
  const forward = [], back = [], falls = [];
  blocks.forEach(block => code.edges[block.b].forEach(e => {
    const to = blocks[e.to], edge = { from: block, to, kind: e.kind };
    const a = block.top + block.height, z = to.top;
    edge.top = Math.min(a, z);
    edge.bottom = Math.max(a, z);
    if (e.to === block.b + 1) falls.push(edge);
    else if (e.to <= block.b) back.push(edge);
    else forward.push(edge);
  }));
  const left = 14 + lanes(back) * 9, right = lanes(forward) * 9;
  return { blocks, forward, back, falls, left, right, width: 190, height: y };
}

function sum(list, from, until) {
  let total = 0;
  for (let i = from; i < until; i++) total += list[i];
  return total;
}

function graphPanel(state, panel) {
  const code = state.codes[0];
  code.layout ||= layOut(code);
  const { blocks, forward, back, falls, left, right, width, height } = code.layout;
  const loops = code.depth.filter(d => d > 0).length;
  panel.className = "bare";
  panel.append(h("div", "panel-head", h("p", "note",
    `${plural(blocks.length, "block")}, ${many(loops)} of them in loops. Solid: where channels go; dotted: where the instruction pointer goes alone; blue: backward.`)));
  const frame = h("div", "graph"), svg = s("svg", { width: left + width + right + 24, height });
  frame.append(svg);
  panel.append(frame);
  const x0 = left + 6, x1 = x0 + width;
  const draw = () => {
    const from = frame.scrollTop - 60, until = frame.scrollTop + frame.clientHeight + 60;
    const inSight = o => o.bottom >= from && o.top <= until;
    const here = state.selected >= 0 ? blockOf(code, state.selected) : -1;
    const lit = e => e.from.b === here || e.to.b === here ? " lit" : "";
    const parts = [];
    for (const block of blocks) {
      if (block.top > until || block.top + block.height < from) continue;
      if (block.depth) parts.push(s("rect", { class: "loop", x: x0 - 5, y: block.top - 11, width: width + 10, height: block.height + 22 }));
    }
    const head = (x, y, dx) => `M${x + dx},${y - 4}L${x},${y}L${x + dx},${y + 4}`;
    for (const e of falls.filter(inSight)) {
      const x = x0 + width / 2;
      parts.push(s("path", { class: e.kind + lit(e), d: `M${x},${e.top}V${e.bottom}M${x - 4},${e.bottom - 5}L${x},${e.bottom}L${x + 4},${e.bottom - 5}` }));
    }
    for (const e of forward.filter(inSight)) {
      const x = x1 + 8 + e.lane * 9, a = e.from.top + e.from.height - 9, z = e.to.top + 9;
      parts.push(s("path", { class: e.kind + lit(e), d: `M${x1},${a}H${x - 4}q4,0 4,4V${z - 4}q0,4 -4,4H${x1}` + head(x1, z, 5) }));
    }
    for (const e of back.filter(inSight)) {
      const x = x0 - 8 - e.lane * 9, a = e.from.top + e.from.height - 9, z = e.to.top + 9;
      parts.push(s("path", { class: "back " + e.kind + lit(e), d: `M${x0},${a}H${x + 4}q-4,0 -4,-4V${z + 4}q0,-4 4,-4H${x0}` + head(x0, z, -5) }));
    }
    for (const block of blocks) {
      if (block.top > until || block.top + block.height < from) continue;
      const { b, first, count } = block;
      const group = s("g", { class: b === here ? "block here" : "block", tabindex: "0", role: "button" },
        s("rect", { x: x0, y: block.top, width, height: block.height }),
        s("text", { x: x0 + 9, y: block.top + 15 }, `B${b}  ${hex(code.offsets[first])}`),
        s("text", { class: "dim", x: x0 + 9, y: block.top + 29 }, plural(count, "instruction") + (block.waits ? `, waits ${many(block.waits)}` : "")));
      const pick = () => state.select(first);
      group.addEventListener("click", pick);
      group.addEventListener("keydown", event => { if (event.key === "Enter") pick(); });
      parts.push(group);
    }
    svg.replaceChildren(...parts);
  };
  frame.addEventListener("scroll", draw);
  if (state.selected >= 0) frame.scrollTop = blocks[blockOf(code, state.selected)].top - 120;
  draw();
  requestAnimationFrame(draw);
}

// The block that an instruction is in.
function blockOf(code, at) {
  let low = 0, high = code.blocks.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (code.blocks[middle] <= at) low = middle; else high = middle;
  }
  return low;
}
