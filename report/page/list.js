"use strict";
// Faults of the script are said on the page, and counted where a test finds them.
window.addEventListener("error", event => {
  const root = document.documentElement, line = document.getElementById("errors");
  root.dataset.errors = String(Number(root.dataset.errors || 0) + 1);
  line.hidden = false;
  line.textContent = "This page has a fault: " + event.message;
});

const $ = id => document.getElementById(id);
const ROW = 20;

// An element with a class and contents. Texts become text, never markup.
function h(tag, className, ...contents) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  e.append(...contents.filter(c => c !== null && c !== undefined && c !== ""));
  return e;
}

const hex = n => "0x" + n.toString(16);
const many = n => Math.round(n).toLocaleString("en-US");
const plural = (n, what) => many(n) + " " + what + (n === 1 ? "" : "s");

function linkTo(text, action, title) {
  const b = h("button", "link", text);
  b.type = "button";
  if (title) b.title = title;
  b.addEventListener("click", action);
  return b;
}

// A list of many rows of one height, of which those in sight are in the document.
class List {
  constructor(element, height, fill) {
    Object.assign(this, { element, height, fill, count: 0, pool: [], classes: () => "" });
    element.replaceChildren();
    this.spacer = h("div");
    this.rows = h("div", "rows");
    element.append(this.spacer, this.rows);
    element.onscroll = () => { this.draw(); this.onScroll?.(); };
    new ResizeObserver(() => this.draw()).observe(element);
    element.onmouseover = event => this.onHover?.(this.rowOf(event));
    element.onmouseleave = () => this.onHover?.(-1);
    element.onclick = event => { const row = this.rowOf(event); if (row >= 0) this.onPick?.(row); };
  }
  rowOf(event) {
    const row = event.target.closest?.(".row");
    return row ? Number(row.dataset.row) : -1;
  }
  show(count) {
    this.count = count;
    this.spacer.style.height = count * this.height + "px";
    this.drawn = null;
    this.draw();
  }
  range() {
    const first = Math.floor(this.element.scrollTop / this.height);
    return [first, Math.min(this.count, first + Math.ceil(this.element.clientHeight / this.height) + 1)];
  }
  // Puts the rows in sight into the document; what they hold is only made anew for other rows.
  draw() {
    const [from, until] = this.range(), first = Math.max(0, from - 12), end = Math.min(this.count, until + 12);
    const same = this.drawn && this.drawn[0] === first && this.drawn[1] === end;
    if (same) return;
    this.drawn = [first, end];
    while (this.pool.length < end - first) this.pool.push(h("div", "row"));
    const rows = this.pool.slice(0, end - first);
    rows.forEach((row, i) => {
      row.dataset.row = first + i;
      row.replaceChildren(...this.fill(first + i));
    });
    this.rows.style.transform = `translateY(${first * this.height}px)`;
    this.rows.replaceChildren(...rows);
    this.mark();
  }
  redraw() { this.drawn = null; this.draw(); }
  // Gives the rows that are drawn their classes.
  mark() {
    for (const row of this.rows.children) {
      const n = Number(row.dataset.row);
      row.className = "row " + this.classes(n);
      if (row.classList.contains("selected")) row.setAttribute("aria-selected", "true");
      else row.removeAttribute("aria-selected");
    }
  }
  reveal(row, always) {
    if (row < 0) return;
    const top = row * this.height, { scrollTop, clientHeight } = this.element;
    const inside = top >= scrollTop + this.height && top + 2 * this.height <= scrollTop + clientHeight;
    if (!inside || always) this.element.scrollTop = Math.max(0, top - clientHeight * 0.38);
  }
}
