import TesseraCore

/// The scripts that connect a page with the program.
///
/// WebKit offers a message handler to every frame and does not say which frame sent a message. So the handler is
/// registered in a script world of our own, which no page sees. There the first script runs. The second script runs in
/// the world of the channel and provides `window.webkit.messageHandlers`. Both find each other by events with a secret
/// name, since worlds share the document but no objects.
///
/// A document receives a token when WebKit reports that it was committed from an allowed address. Each message carries
/// the token, so that nothing of an earlier or a foreign document counts; and each call into the page names it, so that
/// no answer reaches another document than the one that asked.
struct ChannelScripts {
  /// The world of the handler, and the name of the handler in it.
  let world: String
  let handler = "tessera"
  private let secrets: [ContentChannel.World: String]
  private let channels: [ContentChannel]

  init(_ channels: [ContentChannel]) {
    world = "tessera-\(RandomName.next())"
    self.channels = channels
    var secrets: [ContentChannel.World: String] = [:]
    for channel in channels where secrets[channel.world] == nil { secrets[channel.world] = RandomName.next() }
    self.secrets = secrets
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
  static func begin(token: String) -> String { "globalThis.tesseraToken='\(token)';globalThis.tesseraBegin?.()" }

  /// A script for the private world that calls a function of the page, if the document has this token.
  ///
  /// - Parameters:
  ///   - path: the names that lead from `window` to the function.
  ///   - literal: the argument as a script literal.
  func call(token: String, world: ContentChannel.World, path: [String], literal: String) -> String {
    let function = ScriptLiteral.quote(path.joined(separator: "."))
    return "globalThis.tesseraCall?.('\(token)','\(secrets[world] ?? "")',\(function),\(literal))"
  }

  private static func array(_ texts: [String]) -> String {
    "[\(texts.map { ScriptLiteral.quote($0) }.joined(separator: ","))]"
  }

  /// Runs in the private world. `secrets` are the names of the events by world.
  private var relaySource: String {
    #"""
    (() => {
      "use strict";
      const handler = window.webkit?.messageHandlers?.\#(handler);
      if (!handler) { return; }
      const isTop = window === window.top;
      const waiting = [];
      const send = (channel, text) => {
        handler.postMessage([globalThis.tesseraToken ?? "", isTop, window.origin, channel, text]);
      };
      for (const secret of \#(Self.array(Array(secrets.values)))) {
        addEventListener(secret + "-post", (event) => {
          const detail = event.detail;
          if (typeof detail !== "string") { return; }
          const channel = parseInt(detail, 10), text = detail.slice(detail.indexOf(":") + 1);
          // A frame has no token: the program cannot address it.
          if (globalThis.tesseraToken || !isTop) { send(channel, text); }
          else if (waiting.length < 256) { waiting.push([channel, text]); }
        });
      }
      const begin = () => { for (const [channel, text] of waiting.splice(0)) { send(channel, text); } };
      globalThis.tesseraBegin = begin;
      globalThis.tesseraCall = (token, secret, path, text) => {
        if (token !== globalThis.tesseraToken) { return; }
        dispatchEvent(new CustomEvent(secret + "-call", {detail: path + ":" + text}));
      };
      if (globalThis.tesseraToken) { begin(); }
    })();
    """#
  }

  /// Runs in the world of a channel, before any script of the page. It keeps its own references to what it uses, since
  /// the page may replace them.
  private func handlersSource(_ world: ContentChannel.World) -> String {
    let entries = channels.enumerated().filter { $0.element.world == world }.flatMap { index, channel in
      channel.names.map { name in
        "[\(ScriptLiteral.quote(name)),\(index),\(channel.frames == .all),\(channel.body == .textOrObject),"
          + "\(channel.maximumLength)]"
      }
    }
    return #"""
      (() => {
        "use strict";
        const secret = "\#(secrets[world] ?? "")";
        const isTop = window === window.top;
        const dispatch = window.dispatchEvent.bind(window), Event = window.CustomEvent, stringify = JSON.stringify;
        const handlers = {};
        for (const [name, channel, inAllFrames, takesObjects, longest] of [\#(entries.joined(separator: ","))]) {
          if (!isTop && !inAllFrames) { continue; }
          handlers[name] = Object.freeze({
            postMessage(body) {
              let text = body;
              if (takesObjects && typeof body === "object" && body !== null) { text = stringify(body); }
              if (typeof text !== "string" || text.length > longest) { return; }
              dispatch(new Event(secret + "-post", {detail: channel + ":" + text}));
            },
          });
        }
        if (Object.keys(handlers).length === 0) { return; }
        Object.defineProperty(window, "webkit", {
          value: Object.freeze({messageHandlers: Object.freeze(handlers)}), enumerable: true,
        });
        window.addEventListener(secret + "-call", (event) => {
          const detail = event.detail, end = detail.indexOf(":");
          const path = detail.slice(0, end).split("."), text = detail.slice(end + 1);
          let owner = window;
          for (const name of path.slice(0, -1)) { owner = owner?.[name]; }
          const called = owner?.[path[path.length - 1]];
          if (typeof called === "function") { called.call(owner, text); }
        });
      })();
      """#
  }
}

/// Names that nobody can guess.
enum RandomName {
  /// 128 bits of the system's generator, in hexadecimal.
  static func next() -> String {
    var generator = SystemRandomNumberGenerator()
    let words = (generator.next(), generator.next())
    return [words.0, words.1].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
