/// Lets a few tasks go on at once. The others wait for their turn.
@MainActor
final class LoadingSlots {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  func run<Result: Sendable>(_ body: @MainActor () async -> Result) async -> Result {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
    let result = await body()
    // The next one takes over the place.
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    return result
  }
}
