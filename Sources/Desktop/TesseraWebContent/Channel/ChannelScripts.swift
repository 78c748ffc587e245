import TesseraCore

/// The scripts that connect a page with the program.
///
/// WebKit offers a message handler to every frame and does not say which frame sent a message. So the handler is
/// registered in a script world of our own, which no page sees. There the first script runs. The second script runs in
/// the world of the channel and provides `window.webkit.messageHandlers`. Both find each other by events with a secret
/// name, since worlds share the document but no objects.
///
/// A document receives a token when WebKit reports that it was committed from an allowed address. Each message carries it,
/// and no page sees it, so that nothing of an earlier or a foreign document counts.
///
/// A document asks for the program's calls into the page, and receives them as the answer to this question (`CallRequest`):
/// no other document can receive them. The program does not evaluate them, since WebKit runs every evaluated script as if
/// the user had just clicked. A page that asked anything of the program could then open windows and play sound.
struct ChannelScripts {
  /// The world of the handlers, and their names in it.
  let world: String
  let handler = "tessera"
  let callHandler = "calls"
  private let secrets: [ContentChannel.World: String]
  private let channels: [ContentChannel]

  init(_ channels: [ContentChannel]) {
    world = "tessera-\(RandomName.next())"
    self.channels = channels
    var secrets: [ContentChannel.World: String] = [:]
    for channel in channels where secrets[channel.world] == nil { secrets[channel.world] = RandomName.next() }
    self.secrets = secrets
  }

  /// A message of the private script.
  struct Message {
    let token: Substring
    let isFromTopFrame: Bool
    let origin: Substring
    let channel: Int
    let text: Substring

    init?(_ line: String) {
      var rest = Substring(line)
      func field() -> Substring? {
        guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { rest = rest[rest.utf8.index(after: end)...] }
        return rest[..<end]
      }
      guard let token = field(), let isTop = field(), let origin = field(), let channel = field().flatMap({ Int($0) })
      else { return nil }
      self.token = token
      isFromTopFrame = isTop == "true"
      self.origin = origin
      self.channel = channel
      text = rest
    }
  }

  struct Script {
    let source: String
    /// nil for the page's own world.
    let world: String?
    let isForAllFrames: Bool
  }

  /// All scripts, in the order in which they must run.
  var all: [Script] {
    let isForAllFrames = channels.contains { $0.frames == .all }
    let relay = Script(source: relaySource, world: world, isForAllFrames: isForAllFrames)
    let handlers = secrets.keys.map { world -> Script in
      let name: String? = if case .named(let name) = world { name } else { nil }
      return Script(source: handlersSource(world), world: name, isForAllFrames: isForAllFrames)
    }
    return [relay] + handlers
  }

  /// A script for the private world that gives a document its token.
  static func begin(_ token: String) -> String {
    "globalThis.tesseraToken='\(token)';globalThis.tesseraBegin?.()"
  }

  /// What a document receives to call a function in the world of a channel.
  ///
  /// - Parameters:
  ///   - path: the names that lead from `window` to the function.
  ///   - text: the argument.
  /// - Returns: nil for a world without a channel.
  func call(_ path: [String], _ text: String, in world: ContentChannel.World) -> String? {
    guard let secret = secrets[world] else { return nil }
    // Faster than an interpolation, and this is the way of every answer.
    var call = secret
    call.reserveCapacity(text.utf8.count + 200)
    for part in ["\n", path.joined(separator: "."), "\n", text] { call += part }
    return call
  }

  /// For each world its secret and its channels: the length of their longest messages, how many arrive at once, and in
  /// each second.
  private var worlds: String {
    secrets.map { world, secret in
      let own = channels.enumerated().filter { $0.element.world == world }
      let limits = own.map { index, channel in
        let rate = channel.rate.map { "\($0.burst),\($0.perSecond)" } ?? "Infinity,0"
        return "[\(index),[\(channel.maximumLength),\(rate)]]"
      }
      return "['\(secret)',new Map([\(limits.joined(separator: ","))])]"
    }.joined(separator: ",")
  }

  /// Runs in the private world.
  private var relaySource: String {
    #"""
    (() => {
      "use strict";
      const handler = window.webkit?.messageHandlers?.\#(handler), calls = window.webkit?.messageHandlers?.\#(callHandler);
      if (!handler || !calls) { return; }
      const isTop = window === window.top;
      const waiting = [];
      const send = (channel, text) => {
        // One text: WebKit takes much longer to copy an array.
        handler.postMessage(`${globalThis.tesseraToken ?? ""}\n${isTop}\n${window.origin}\n${channel}\n${text}`);
      };
      const worlds = [\#(worlds)];
      // The page cannot renew them by `document.open()`, after which WebKit runs this again.
      const budgets = globalThis.tesseraBudgets ??= new Map();
      // Whether a channel may send one more message.
      const permits = (channel, burst, perSecond) => {
        const now = performance.now(), budget = budgets.get(channel) ?? {left: burst, last: now};
        budget.left = Math.min(burst, budget.left + (now - budget.last) / 1000 * perSecond);
        budget.last = now;
        budgets.set(channel, budget);
        if (budget.left < 1) { return false; }
        budget.left -= 1;
        return true;
      };
      for (const [secret, limits] of worlds) {
        addEventListener(secret + "-post", (event) => {
          const detail = event.detail;
          if (typeof detail !== "string") { return; }
          const channel = parseInt(detail, 10), text = detail.slice(detail.indexOf(":") + 1);
          // Checked here, too, where no page can change it.
          const [longest, burst, perSecond] = limits.get(channel) ?? [-1];
          if (!(text.length <= longest) || burst !== Infinity && !permits(channel, burst, perSecond)) { return; }
          // A frame has no token: the program cannot address it.
          if (globalThis.tesseraToken || !isTop) { send(channel, text); }
          else if (waiting.length < 256) { waiting.push([channel, text]); }
        });
        // WebKit runs the scripts of different worlds in any order: whichever is second finds the first.
        const isReady = () => { dispatchEvent(new CustomEvent(secret + "-ready")); };
        addEventListener(secret + "-ask", isReady);
        isReady();
      }
      const askForCalls = () => { calls.postMessage(globalThis.tesseraToken).then(make, () => {}); };
      const make = (texts) => {
        // The question of a document that ended comes back without an answer.
        if (texts === undefined) { return; }
        // First, so that the program need not wait until the page has taken these.
        askForCalls();
        for (const text of typeof texts === "string" ? [texts] : texts) {
          const end = text.indexOf("\n");
          dispatchEvent(new CustomEvent(text.slice(0, end) + "-call", {detail: text.slice(end + 1)}));
        }
      };
      globalThis.tesseraBegin = () => {
        askForCalls();
        for (const [channel, text] of waiting.splice(0)) { send(channel, text); }
      };
    })();
    """#
  }

  /// Runs in the world of a channel, before any script of the page. It keeps its own references to what it uses, since
  /// the page may replace them.
  private func handlersSource(_ world: ContentChannel.World) -> String {
    let entries = channels.enumerated().filter { $0.element.world == world }.flatMap { index, channel in
      channel.names.map { name in
        "[\(ScriptLiteral.quote(name)),\(index),\(channel.frames == .all),\(channel.body == .textOrObject),"
          + "\(channel.maximumLength),\(channel.origin.map(ScriptLiteral.quote) ?? "null")]"
      }
    }
    return #"""
      (() => {
        "use strict";
        // `document.open()` ends the listeners of the window, and WebKit runs this again, in a window that the page has
        // changed. What ran first is still there, with its own references, and only has to listen again.
        if (window.webkit) { return window.webkit.listenAgain?.(); }
        const secret = "\#(secrets[world] ?? "")";
        const isTop = window === window.top;
        const dispatch = window.dispatchEvent.bind(window), Event = window.CustomEvent, stringify = JSON.stringify;
        const apply = Reflect.apply, {indexOf, slice, split} = String.prototype;
        const detail = Object.getOwnPropertyDescriptor(Event.prototype, "detail").get;
        const handlers = {}, early = [];
        let isReady = false;
        const listen = window.addEventListener.bind(window);
        const makeCall = (event) => {
          const call = apply(detail, event, []), end = apply(indexOf, call, ["\n"]);
          const names = apply(split, apply(slice, call, [0, end]), ["."]);
          let owner = window;
          for (let index = 0; index < names.length - 1; index++) { owner = owner?.[names[index]]; }
          const last = names[names.length - 1];
          if (typeof owner?.[last] === "function") { owner[last](apply(slice, call, [end + 1])); }
        };
        const listenAgain = () => { listen(secret + "-call", makeCall); };
        const post = (text) => { dispatch(new Event(secret + "-post", {detail: text})); };
        listen(secret + "-ready", () => {
          isReady = true;
          for (const text of early.splice(0)) { post(text); }
        });
        dispatch(new Event(secret + "-ask"));
        for (const [name, channel, inAllFrames, takesObjects, longest, origin] of [\#(entries.joined(separator: ","))]) {
          if (!isTop && !inAllFrames || origin !== null && origin !== window.origin) { continue; }
          handlers[name] = Object.freeze({
            postMessage(body) {
              let text = body;
              if (takesObjects && typeof body === "object" && body !== null) { text = stringify(body); }
              if (typeof text !== "string" || text.length > longest) { return; }
              if (isReady) { post(channel + ":" + text); } else { early.push(channel + ":" + text); }
            },
          });
        }
        if (Object.keys(handlers).length === 0) { return; }
        Object.defineProperty(window, "webkit", {
          value: Object.freeze(
            Object.defineProperty({messageHandlers: Object.freeze(handlers)}, "listenAgain", {value: listenAgain})),
          enumerable: true,
        });
        listenAgain();
      })();
      """#
  }
}

/// Names that nobody can guess.
enum RandomName {
  /// 128 bits of the system's generator, in hexadecimal.
  static func next() -> String {
    var generator = SystemRandomNumberGenerator()
    return [generator.next(), generator.next()].map(\.hexadecimal).joined().lowercased()
  }
}
