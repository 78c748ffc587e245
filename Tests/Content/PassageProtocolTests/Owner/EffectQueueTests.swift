import Testing

@testable import PassageProtocol

/// Effects in their order, and what holds them up.
@Suite(.timeLimit(.minutes(5))) @MainActor struct EffectQueueTests {
  /// An owner whose removal of cookies ends when the test says so.
  @MainActor
  private final class Owner {
    let tasks = ShowingTasks { _ in }
    let clock = GateClock()
    let removal = Gate()
    private(set) var done: [PassageEffect] = []
    /// Whether each removal took place.
    private(set) var removals: [Bool] = []
    private let (begun, last) = (Gate(), Gate())
    private(set) lazy var queue = EffectQueue(tasks, waitingAtMost: .seconds(10), clock: clock) { [weak self] in
      self?.perform($0)
    }

    private func perform(_ effect: PassageEffect) {
      done.append(effect)
      if effect == EffectQueueTests.last { last.open() }
      guard case .clearCookies = effect else { return }
      queue.performBeforeOthers { [self] in
        begun.open()
        removals.append(await removal.wait())
        return removals.last == true
      }
    }

    /// Waits until the removal goes on.
    func begin() async { _ = await begun.wait() }

    /// Waits until the last effect is done.
    func end() async { _ = await last.wait() }
  }

  private static let clear = PassageEffect.clearCookies(nil)
  private static let load = PassageEffect.load(PageLoad(.automation, "https://shop.example/"))
  private static let last = PassageEffect.log("last")

  @Test("What follows waits for the removal, and is done in its order") func order() async {
    let owner = Owner()
    owner.queue.add([.log("first"), Self.clear, Self.load])
    owner.queue.add([Self.last])
    #expect(owner.done == [.log("first"), Self.clear])
    owner.removal.open()
    await owner.end()
    #expect(owner.done == [.log("first"), Self.clear, Self.load, Self.last])
    #expect(owner.removals == [true])
  }

  @Test("A removal without an end is given up after its limit: no page is loaded, and everything else goes on")
  func limit() async {
    let owner = Owner()
    owner.queue.add([Self.clear, Self.load, Self.last])
    #expect(owner.done == [Self.clear])
    #expect(await owner.clock.pass() == .seconds(10))
    await owner.end()
    #expect(owner.done == [Self.clear, Self.last])
    // It was cancelled.
    await owner.tasks.finish(within: .seconds(100), clock: GateClock())
    #expect(owner.removals == [false])
    owner.queue.add([Self.load])
    #expect(owner.done == [Self.clear, Self.last, Self.load])
  }

  @Test("A removal that fails permits no page either") func failure() async {
    let owner = Owner()
    var done: [PassageEffect] = []
    let next = EffectQueue(owner.tasks, waitingAtMost: .seconds(10), clock: owner.clock) { done.append($0) }
    next.performBeforeOthers { false }
    next.add([Self.load, .reload(.ui), .goBack(.ui), .recreate(.ui), .showWebsite(""), Self.last])
    #expect(done.isEmpty)
    await owner.tasks.finish(within: .seconds(100), clock: GateClock())
    #expect(done == [Self.last])
  }

  @Test("A window that closes waits for nothing, and the removal goes on", arguments: [false, true])
  func closing(isReleased: Bool) async {
    let owner = Owner()
    owner.queue.add([Self.clear, Self.load])
    await owner.begin()
    if !isReleased {
      owner.queue.add([.dismiss, Self.last])
      #expect(owner.done == [Self.clear, .dismiss, Self.last])
    }
    owner.queue.removeAll()
    owner.tasks.end()
    // The next showing has its pages after it.
    owner.queue.add([Self.load, Self.last])
    #expect(!owner.done.contains(Self.load) && owner.removals.isEmpty)
    owner.removal.open()
    await owner.tasks.finish(within: .seconds(100), clock: GateClock())
    #expect(owner.removals == [true])
    #expect(owner.done.suffix(2) == [Self.load, Self.last])
  }

  @Test("An effect that adds others is done before them") func nested() {
    var done: [PassageEffect] = []
    var queue: EffectQueue?
    queue = EffectQueue(ShowingTasks { _ in }, waitingAtMost: .seconds(10)) { effect in
      if effect == .log("a") { queue?.add([.log("c")]) }
      done.append(effect)
    }
    queue?.add([.log("a"), .log("b")])
    #expect(done == [.log("a"), .log("b"), .log("c")])
  }
}
