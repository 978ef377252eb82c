// A canvas at the resolution of the screen, and its size in CSS pixels.
function canvas(element) {
  const ratio = window.devicePixelRatio || 1, width = element.clientWidth, height = element.clientHeight;
  element.width = Math.max(1, width * ratio);
  element.height = Math.max(1, height * ratio);
  const g = element.getContext("2d");
  g.scale(ratio, ratio);
  return { g, width, height };
}
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The largest value of each column of pixels.
function columns(values, width) {
  const out = new Float64Array(width);
  const n = values.length;
  if (!n) return out;
  for (let x = 0; x < width; x++) {
    const from = Math.floor(x * n / width), until = Math.max(from + 1, Math.floor((x + 1) * n / width));
    let most = 0;
    for (let i = from; i < until && i < n; i++) most = Math.max(most, values[i]);
    out[x] = most;
  }
  return out;
}

// Registers in use above, waits below, over the whole code.
function drawStrip(state) {
  const { g, width, height } = canvas($("strip-canvas"));
  const code = state.codes[0], n = code.text.length;
  const left = 44, right = 10, wide = Math.max(1, Math.floor(width - left - right));
  const top = 14, base = height - 34, limit = Math.max(state.data.grf_count, 1);
  const most = Math.max(...state.codes.map(c => c.counts.peak), 8);
  const scale = Math.min(limit, Math.ceil(most / 16) * 16 + 8);
  const y = live => base - live / scale * (base - top);
  g.font = "11px " + colour("--sans");
  g.fillStyle = colour("--muted");
  g.textAlign = "right";
  for (const mark of [0, Math.round(scale / 2), scale]) {
    g.fillText(String(mark), left - 8, y(mark) + 4);
    g.fillStyle = colour("--line");
    g.fillRect(left, Math.round(y(mark)), wide, 1);
    g.fillStyle = colour("--muted");
  }
  const [from, until] = state.visible();
  if (until - from < n) {
    g.fillStyle = colour("--accent-soft");
    g.fillRect(left + from / n * wide, top - 8, Math.max(3, (until - from) / n * wide), height);
  }
  const line = (live, fill, stroke, dash) => {
    const heights = columns(live, wide);
    g.beginPath();
    g.moveTo(left, base);
    heights.forEach((v, x) => { g.lineTo(left + x, y(v)); g.lineTo(left + x + 1, y(v)); });
    g.lineTo(left + wide, base);
    if (fill) { g.fillStyle = fill; g.fill(); }
    g.beginPath();
    heights.forEach((v, x) => { x ? g.lineTo(left + x, y(v)) : g.moveTo(left, y(v)); g.lineTo(left + x + 1, y(v)); });
    g.setLineDash(dash);
    g.strokeStyle = stroke;
    g.lineWidth = 1.2;
    g.stroke();
    g.setLineDash([]);
  };
  if (state.codes[1]) line(state.codes[1].live, null, colour("--muted"), [3, 3]);
  line(code.live, colour("--accent-soft"), colour("--accent"), []);
  // Waits hang below, their logarithm: 1 cycle and 400 are both to be seen.
  const waits = columns(code.waits, wide), longest = Math.log2(2 + Math.max(0, ...waits));
  g.fillStyle = colour("--faint");
  waits.forEach((w, x) => { if (w) g.fillRect(left + x, base + 5, 1, Math.log2(1 + w) / longest * 24); });
  g.fillStyle = colour("--accent");
  for (const m of code.messages) if (m.scratch) g.fillRect(left + m.at / n * wide, base + 1, Math.max(1, wide / n), 3);
  g.fillStyle = colour("--muted");
  g.fillText("waits", left - 8, height - 14);
  if (code.peak >= 0) {
    const x = left + (code.peak + 0.5) / n * wide, at = y(code.counts.peak);
    g.fillStyle = colour("--accent");
    g.beginPath();
    g.arc(x, at, 3, 0, 7);
    g.fill();
    g.textAlign = x > width / 2 ? "right" : "left";
    g.fillStyle = colour("--text");
    g.fillText(`peak ${code.counts.peak} of ${limit}`, x + (x > width / 2 ? -8 : 8), Math.max(11, at - 4));
  }
  if (state.selected >= 0) {
    g.fillStyle = colour("--accent");
    g.fillRect(Math.round(left + (state.selected + 0.5) / n * wide), top - 8, 1, height);
  }
  return x => Math.min(n - 1, Math.max(0, Math.floor((x - left) / wide * n)));
}

// What each register holds, and when: registers from left to right, the code from top to bottom.
function drawMap(state, element) {
  const { g, width, height } = canvas(element);
  const code = state.codes[0], n = code.text.length || 1, registers = Math.max(code.counts.registers, 1);
  const wide = width / registers;
  const shades = [colour("--accent"), colour("--accent-mid")];
  for (const [start, end, first, count] of code.values) {
    const held = end - start;
    g.globalAlpha = held > n * 0.5 ? 0.55 : 1;
    g.fillStyle = shades[(start + first) % 2];
    g.fillRect(first * wide, start / n * height, Math.max(1, count * wide - (wide > 2.5 ? 0.5 : 0)), Math.max(0.7, held / n * height - 0.25));
  }
  g.globalAlpha = 1;
  const at = state.registersAt();
  g.fillStyle = colour("--text");
  if (at >= 0) g.fillRect(0, Math.round((at + 0.5) / n * height), width, 1);
  return event => {
    const box = element.getBoundingClientRect();
    const inst = Math.floor((event.clientY - box.top) / box.height * n);
    const register = Math.floor((event.clientX - box.left) / box.width * registers);
    return [Math.max(0, Math.min(n - 1, inst)), register];
  };
}
