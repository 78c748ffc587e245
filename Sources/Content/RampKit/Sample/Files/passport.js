// Reads the document by the bridge, which this flow has because its host granted it.
(() => {
  "use strict";
  const element = (id) => document.getElementById(id);
  const rampkit = window.webkit.messageHandlers.rampkit;
  const bridge = window.webkit.messageHandlers.SelfNativeIOS;
  const fields = ["documentNumber", "dateOfBirth", "dateOfExpiry"];
  const waiting = new Map();

  // The host calls these two functions.
  window.SelfNativeBridge = {
    _handleResponse(text) {
      const answer = JSON.parse(text), end = waiting.get(answer.requestId);
      waiting.delete(answer.requestId);
      end?.(answer);
    },
    _handleEvent(text) {
      const event = JSON.parse(text);
      if (event.event === "scanProgress") { element("progress").value = event.data?.percent ?? 0; }
    },
  };

  const request = (domain, method, params) => new Promise((resolve) => {
    const id = crypto.randomUUID();
    waiting.set(id, resolve);
    bridge.postMessage(JSON.stringify({type: "request", version: 1, id, domain, method, params, timestamp: Date.now()}));
  });

  // The words stand in the page, where they are translated.
  const say = (word, tone, reason) => {
    element("result").textContent = [element(word).textContent, reason].filter(Boolean).join(" ");
    element("result").className = tone;
  };

  // The host may know the document, as `--virtual` does.
  const fill = (variables) => {
    for (const name of fields) {
      if (variables[`onboarding.${name}`] && !element(name).value) { element(name).value = variables[`onboarding.${name}`]; }
    }
  };
  fill(window.__rampkitVariables ?? {});
  document.addEventListener("message", (event) => {
    if (event.data?.type === "rampkit:variables") { fill(event.data.vars); }
  });

  element("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!bridge) { return say("noReader", "bad"); }
    element("read").disabled = true;
    say("reading", "");
    const answer = await request("nfc", "scanReport", {
      passportNumber: element("documentNumber").value.trim(), dateOfBirth: element("dateOfBirth").value,
      dateOfExpiry: element("dateOfExpiry").value, sessionId: crypto.randomUUID(),
    });
    element("read").disabled = false;
    if (!answer.success) {
      say("unread", "bad", answer.error?.message);
      rampkit.postMessage({type: "rampkit:haptic", hapticType: "notification", notificationType: "Error"});
      return;
    }
    const outcome = answer.data.outcome;
    say(["genuine", "notGenuine"].includes(outcome) ? outcome : "unverified", outcome === "genuine" ? "good" : "bad");
    rampkit.postMessage({type: "rampkit:variables", vars: {outcome}});
    rampkit.postMessage({
      type: "rampkit:haptic", hapticType: "notification", notificationType: outcome === "genuine" ? "Success" : "Warning",
    });
  });
})();
