// The camera of the verification page in a browser without one. Runs before the scripts of the page. It answers the requests
// of the camera and of the launch in place of the service; the test says what the camera sees:
//
//   sealCamera.show("no_barcode")            the state of a picture
//   sealCamera.answer(report)                the end of the scan
//   sealCamera.refuse(code, message)
//   sealCamera.asked                         the requests so far
//   sealCamera.hold(), sealCamera.release()  between them, the end of the camera is not answered
//
// The fragment of the address is the launch: `#asked` has a request, `#embed` waits for a result, `#unsaved` saves no files.
window.sealCamera = (() => {
  const asked = [];
  let scan = null, zone = null, held = null;
  const send = (message) => window.SelfNativeBridge[message.type === "event" ? "_handleEvent" : "_handleResponse"](
    JSON.stringify({version: 1, id: "of the camera", domain: "camera", timestamp: 1, ...message}));
  const respond = (id, data, error = null) =>
    send({type: "response", requestId: id, success: !error, data, error});
  const config = () => ({
    mode: location.hash === "#embed" ? "embed" : "self-app",
    capabilities: {mrzCamera: true, saveFiles: location.hash !== "#unsaved"},
    verificationRequest: location.hash === "#asked" ? {scope: "The shop"} : null,
  });
  const end = (data, error) => {
    const id = scan;
    scan = null;
    if (id) { respond(id, data, error); }
  };
  const methods = {
    "camera.scanSeal": ({id}) => { scan = id; },
    "camera.scanMRZ": ({id}) => { zone = id; },
    "camera.stopCamera": ({id}) => {
      end(null, {code: "SEAL_SCAN_CANCELLED", message: "The scan was stopped.", details: null});
      if (zone) { respond(zone, null, {code: "MRZ_SCAN_CANCELLED", message: "The scan was stopped.", details: null}); }
      zone = null;
      if (held) { held.push(id); } else { respond(id, null); }
    },
    "lifecycle.getConfig": ({id}) => respond(id, config()),
    "lifecycle.setResult": ({id}) => respond(id, null),
    "lifecycle.dismiss": ({id}) => respond(id, null),
  };
  document.addEventListener("readystatechange", () => {
    // The bridge is there, and the module of the page has not begun.
    if (document.readyState !== "interactive" || !window.webkit) { return; }
    const service = window.webkit.messageHandlers.SelfNativeIOS;
    window.webkit.messageHandlers.SelfNativeIOS = {
      postMessage: (text) => {
        const message = JSON.parse(text), name = `${message.domain}.${message.method}`;
        if (!methods[name]) { return service.postMessage(text); }
        asked.push([name, message.params]);
        // An answer never comes before the page waits for it.
        setTimeout(() => methods[name](message));
      },
    };
  });
  return {
    asked, isScanning: () => scan !== null, isReadingZone: () => zone !== null,
    hold: () => { held = []; },
    release: () => {
      for (const id of held.splice(0)) { respond(id, null); }
      held = null;
    },
    show: (state) => send({type: "event", event: "scanProgress", data: {state}}),
    answer: (report) => end(report), refuse: (code, message) => end(null, {code, message, details: null}),
  };
})();
