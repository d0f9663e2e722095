// Notes when a key is pressed in the phrase box, and when the frame with the bars that it leads to is drawn.
(() => {
  const pressed = new Map(); // the box's text -> when it was entered
  const drawn = []; // milliseconds from key to bars
  let answered = null; // the text whose answer the page has read
  let entered = "";
  const ask = window.fetch;

  window.fetch = async (address, options) => {
    const answer = await ask(address, options);
    const url = new URL(address, document.baseURI);
    if (url.pathname.endsWith("/api/match")) {
      const read = answer.json.bind(answer);
      answer.json = async () => {
        const value = await read();
        answered = url.searchParams.get("q");
        return value;
      };
    }
    return answer;
  };

  addEventListener("input", (event) => {
    const text = event.target.value.trim();
    if (text && text !== entered) pressed.set(text, event.timeStamp); // a space at the end asks nothing new
    entered = text;
  }, true);

  const note = (text) => requestAnimationFrame(() => setTimeout(() => {
    if (!pressed.has(text)) return;
    drawn.push(performance.now() - pressed.get(text));
    // Keys before it were superseded.
    pressed.clear();
  }));

  addEventListener("DOMContentLoaded", () => {
    new MutationObserver(() => {
      if (answered === null) return;
      note(answered);
      answered = null;
    }).observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true, attributes: true });
  });

  window.clock = {
    idle: () => pressed.size === 0,
    times: () => drawn,
    clear: () => { pressed.clear(); drawn.length = 0; },
  };
})();
