"use strict";
(() => {
  const root = document.documentElement;
  const sections = [...document.querySelectorAll("main > section")];
  const byId = (id) => document.getElementById(id);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let current = 0;
  let all = false;

  root.classList.add("js");

  // ---- Steps ----

  function show(step, { focus = true, bottom = false } = {}) {
    current = Math.max(0, Math.min(sections.length - 1, step));
    for (const [i, section] of sections.entries()) {
      section.hidden = !all && i !== current;
    }
    document.querySelector("progress").value = current + 1;
    byId("place").textContent = current + 1;
    byId("back").disabled = current === 0;
    byId("next").disabled = current === sections.length - 1;
    history.replaceState(null, "", `#step-${current + 1}`);
    if (focus) {
      byId(`heading-${current + 1}`).focus({ preventScroll: true });
      if (all) sections[current].scrollIntoView();
      else scrollTo(0, bottom ? root.scrollHeight : 0);
    }
    reach();
  }

  function toggleAll() {
    all = !all;
    byId("all").setAttribute("aria-pressed", all);
    show(current);
  }

  function toggleCode() {
    const hidden = root.classList.toggle("hide-code");
    byId("code").setAttribute("aria-pressed", !hidden);
    reach();
  }

  // Only what really scrolls needs to be reached with Tab.
  function reach() {
    for (const box of document.querySelectorAll("section:not([hidden]) .scroll")) {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  // A screenful on; true where there was nothing left to scroll.
  function scrolled(direction, part) {
    const from = scrollY;
    const end = direction > 0 ? root.scrollHeight - innerHeight : 0;
    if (direction > 0 ? from >= end - 2 : from <= 2) return false;
    const height = innerHeight - document.querySelector(".bar").offsetHeight;
    scrollBy({ top: direction * height * part, behavior: "instant" });
    return true;
  }

  function forward() { show(current + 1); }
  function back(bottom) { show(current - 1, { bottom }); }
  function onward(part) { if (!scrolled(1, part) && !all) forward(); }
  function backward(part) { if (!scrolled(-1, part) && !all && current) back(true); }

  const keys = {
    ArrowRight: forward, l: forward, j: forward,
    ArrowLeft: () => back(false), h: () => back(false), k: () => back(false),
    ArrowDown: () => onward(0.25), PageDown: () => onward(0.9), " ": () => onward(0.9),
    ArrowUp: () => backward(0.25), PageUp: () => backward(0.9),
    Home: () => show(0), End: () => show(sections.length - 1),
    a: toggleAll, c: toggleCode,
  };

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    let key = event.key;
    // With a Korean input method on, only the key's place tells the letter.
    if (!/^[\x20-\x7e]$/.test(key) && /^Key[A-Z]$/.test(event.code)) {
      key = event.code[3].toLowerCase();
    }
    const act = keys[key];
    if (!act || (key.length === 1 && !byId("letters").checked)) return;
    if (key === " " && event.target.closest("button, summary, a, input, label")) return;
    if (event.target.closest("input")) return;
    const box = event.target.closest(".scroll[tabindex]");
    if (box && (key === "ArrowLeft" || key === "ArrowRight")) return;
    event.preventDefault();
    act();
  });
  byId("back").addEventListener("click", () => show(current - 1));
  byId("next").addEventListener("click", () => show(current + 1));
  byId("all").addEventListener("click", toggleAll);
  byId("code").addEventListener("click", toggleCode);
  addEventListener("resize", reach);
  addEventListener("hashchange", () => show(fromHash()));

  function fromHash() {
    const found = /^#step-(\d+)$/.exec(location.hash);
    return found ? found[1] - 1 : 0;
  }

  // ---- Pools: each figure replays the events of its run ----

  function playPool(figure) {
    const before = JSON.parse(figure.dataset.before);
    const frames = JSON.parse(figure.dataset.frames);
    const blocks = [...figure.querySelectorAll(".block")];
    const sentences = [...figure.querySelectorAll("ol > li")].map((item) => item.textContent);
    const now = figure.querySelector(".now");
    const play = figure.querySelector("[data-do=play]");
    let at = frames.length;
    let timer = 0;

    function draw(block, [state, count, filled]) {
      block.dataset.state = state;
      block.querySelector(".state").textContent = stateWords[state];
      block.querySelector(".ref").textContent = `×${count}`;
      block.querySelector(".filled").textContent = filled <= 8 ? "●".repeat(filled) : filled;
    }

    function go(to) {
      at = Math.max(0, Math.min(frames.length, to));
      const state = before.map((block) => [...block]);
      for (const [block, , , ...after] of frames.slice(0, at)) state[block] = after;
      blocks.forEach((block, i) => { delete block.dataset.now; draw(block, state[i]); });
      if (at) {
        const [block, source] = frames[at - 1];
        blocks[block].dataset.now = "event";
        if (source !== null) blocks[source].dataset.now = "source";
      }
      now.textContent = at ? sentences[at - 1] : "";
      figure.querySelector(".count").textContent = `${at} / ${frames.length}`;
    }

    function stop() {
      clearInterval(timer);
      timer = 0;
      play.textContent = play.dataset.play;
      now.setAttribute("aria-live", "polite");
    }

    function start() {
      if (at === frames.length) go(0);
      now.setAttribute("aria-live", "off");
      play.textContent = play.dataset.pause;
      const pause = Math.max(120, Math.min(900, 12000 / frames.length));
      timer = setInterval(() => {
        go(at + 1);
        if (at === frames.length) stop();
      }, pause);
    }

    figure.querySelector(".controls").addEventListener("click", (event) => {
      const what = event.target.closest("button")?.dataset.do;
      if (!what) return;
      const playing = timer;
      stop();
      if (what === "start") go(0);
      if (what === "previous") go(at - 1);
      if (what === "following") go(at + 1);
      if (what === "play" && !playing) start();
    });
    go(frames.length);

    // It plays by itself when it comes into view, unless the reader wants no motion.
    new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) { if (timer) stop(); return; }
      if (!calm.matches && !all && !timer) { go(0); start(); }
    }, { threshold: 0.6 }).observe(figure);
    addEventListener("beforeprint", () => { stop(); go(frames.length); });
  }

  const stateWords = JSON.parse(document.querySelector("main").dataset.states);
  document.querySelectorAll("figure.pool").forEach(playPool);
  show(fromHash(), { focus: false });
})();
