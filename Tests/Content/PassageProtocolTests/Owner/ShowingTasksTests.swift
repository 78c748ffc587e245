import Testing

@testable import PassageProtocol

/// What goes on in the background of a showing.
@Suite(.timeLimit(.minutes(5))) @MainActor struct ShowingTasksTests {
  /// What tasks find out: one of each kind.
  private static let answers: [PassageInput] = [
    .pageChecked(check: 1, isReady: true), .scriptFinished(run: 1, .nothing), .screenshot(nil),
    .pageData(collection: 1, PageData()), .closeConfirmationFailed,
    .response(request: 1, .received(status: 200, body: [])),
  ]

  @Test("The answers of a showing are passed once") func answers() async {
    var passed: [PassageInput] = []
    let tasks = ShowingTasks { passed.append($0) }
    for answer in Self.answers { await tasks.run { answer }.value }
    await tasks.run { nil }.value
    #expect(passed == Self.answers)
  }

  @Test("Late answers do not reach the next showing, whose own ones are passed", arguments: [false, true])
  func late(isKept: Bool) async {
    var passed: [PassageInput] = []
    let tasks = ShowingTasks { passed.append($0) }
    let gates = Self.answers.map { _ in Gate() }
    let late = zip(Self.answers, gates).map { answer, gate in
      let work: @MainActor () async -> PassageInput? = {
        _ = await gate.wait()
        return answer
      }
      return isKept ? tasks.keep(work) : tasks.run(work)
    }
    tasks.end()
    await tasks.run { .history(canGoBack: true) }.value
    for gate in gates { gate.open() }
    for task in late { await task.value }
    await tasks.keep { .history(canGoBack: false) }.value
    #expect(passed == [.history(canGoBack: true), .history(canGoBack: false)])
  }

  @Test("The end of a showing cancels what belongs to it, and nothing else") func end() async {
    let tasks = ShowingTasks { _ in }
    let (own, kept) = (Gate(), Gate())
    var ends: [String: Bool] = [:]
    let task = tasks.run {
      ends["own"] = await own.wait()
      return nil
    }
    tasks.keep {
      ends["kept"] = await kept.wait()
      return nil
    }
    tasks.end()
    await task.value
    #expect(ends == ["own": false])
    kept.open()
    await tasks.finish(within: .seconds(2), clock: GateClock())
    #expect(ends == ["own": false, "kept": true])
  }

  @Test("What goes on is cancelled after the limit") func limit() async {
    let tasks = ShowingTasks { _ in }
    let (gate, clock) = (Gate(), GateClock())
    var wasOpened: Bool?
    tasks.keep {
      wasOpened = await gate.wait()
      return nil
    }
    async let limit = clock.pass()
    await tasks.finish(within: .seconds(2), clock: clock)
    #expect(await limit == .seconds(2))
    #expect(wasOpened == false)
  }
}
