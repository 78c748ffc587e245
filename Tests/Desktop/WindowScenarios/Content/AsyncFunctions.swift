import TesseraBridge
import TesseraWebContent

/// Functions of the program in a page, in a script world of their own. Argument: the port of `site.py`.
@MainActor
enum AsyncFunctions {
  static func run(_ arguments: [String]) async throws {
    let one = SiteView(arguments)
    func call(
      _ name: String, _ body: String, arguments: [String: String] = [:], within limit: Duration = .seconds(20)
    ) async {
      do {
        let value = try await one.view.callAsync(body, arguments: arguments, in: .named("program"), within: limit)
        observe(name, .string("value \(value ?? "none")"))
      } catch let failure as ScriptFailure {
        observe(name, .string("\(failure)"))
      } catch {
        observe(name, .string(error is CancellationError ? "cancelled" : "\(error)"))
      }
    }
    await call("before the first page", "return 1")
    try await one.show("/plain.html")
    await call("value", "return {title: document.title, text: one + two}", arguments: ["one": "a'\n", "two": "ü"])
    await call("nothing", "let a = 1")
    await call("promise", "return new Promise((done) => setTimeout(() => done([1, null]), 50))")
    await call("throws", "throw new Error('not so')")
    await call("rejects", "await Promise.reject(new Error('not so either'))")
    await call("unreadable", "return (")
    await call("never ends", "await new Promise(() => {})", within: .milliseconds(300))
    await call("after it", "return 2")
    _ = try await one.view.evaluate("window.secret = 1; 0")
    await call("world", "globalThis.mine = 1; return typeof secret")
    await call("world again", "return typeof mine")
    observe("page", .string(try await one.view.evaluate("typeof mine") ?? ""))
    do {
      observe("program", .string(try await one.view.runProgram("2; 3", in: .page, within: .seconds(20)) ?? ""))
      _ = try await one.view.runProgram("Promise.resolve(1)", in: .page, within: .seconds(20))
    } catch { observe("program with a promise", .string("\(error)")) }
    // The caller stops waiting; the page leaves.
    func begun(_ name: String) async throws -> Task<Void, Never> {
      let task = Task { await call(name, "await new Promise(() => {})", within: .seconds(30)) }
      try await letPass(.milliseconds(100))
      return task
    }
    let cancelled = try await begun("cancelled")
    cancelled.cancel()
    await cancelled.value
    // WebKit reports a page that is gone as it reports a value that it cannot pass.
    let left = try await begun("page left")
    try await one.show("/plain.html?next")
    one.view.endProcess()
    await left.value
    one.close()
    await call("closed", "return 1")
  }
}
