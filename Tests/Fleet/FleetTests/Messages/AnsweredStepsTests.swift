import TesseraNATS
import TesseraThreads
import Testing

@testable import TesseraFleet

@Suite("Answers for requests that are repeated")
struct AnsweredStepsTests {
  private static let message = NATSMessage(subject: "x", payload: [])

  private func desk(_ name: String) throws -> DeskName { try #require(DeskName(name)) }

  private func step() throws -> AnsweredSteps.Step { .init(session: try .random(), isAnswer: false) }

  private enum Kind: Equatable {
    case first, underWay
    case answered([UInt8])
  }

  private func receive(_ step: AnsweredSteps.Step, by steps: AnsweredSteps, of desk: DeskName) throws -> Kind {
    switch try steps.receive(step, of: desk, Self.message, { true }) {
    case .first: .first
    case .underWay: .underWay
    case .answered(let payload): .answered(payload)
    }
  }

  /// Answers a request that was not received before.
  private func answer(_ payload: [UInt8], by steps: AnsweredSteps, of desk: DeskName) throws -> AnsweredSteps.Step {
    let step = try step()
    #expect(try receive(step, by: steps, of: desk) == .first)
    #expect(steps.finish(step, payload).isEmpty)
    return step
  }

  @Test("a repetition waits for the answer or receives it, and a refused request is not noted")
  func repetition() throws {
    let steps = AnsweredSteps(FleetLimits())
    let (step, a) = (try step(), try desk("a"))
    #expect(throws: FleetError(.sessionUnknown)) {
      _ = try steps.receive(step, of: a, Self.message) { () throws -> Bool in throw FleetError(.sessionUnknown) }
    }
    #expect(try receive(step, by: steps, of: a) == .first)
    for _ in 0..<20 { #expect(try receive(step, by: steps, of: a) == .underWay) }
    #expect(steps.finish(step, [1]).count == 8)
    #expect(try receive(step, by: steps, of: a) == .answered([1]))
    // The other step of the read is another request.
    #expect(try receive(.init(session: step.session, isAnswer: true), by: steps, of: a) == .first)
  }

  @Test("one of many requests that arrive at once is the first")
  func together() async throws {
    let steps = AnsweredSteps(FleetLimits())
    let a = try desk("a")
    for _ in 0..<200 {
      let step = try step()
      let taken = Locked(0)
      let firsts = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let reception = try? steps.receive(step, of: a, Self.message) {
              taken.withLock { $0 += 1 }
            }
            if case .first? = reception { return true }
            return false
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(firsts == 1)
      #expect(taken.withLock { $0 } == 1)
    }
  }

  @Test("a desk does not push out the answers of others", arguments: [1, 600_000])
  func bounds(_ size: Int) throws {
    let steps = AnsweredSteps(FleetLimits())
    let (a, b) = (try desk("a"), try desk("b"))
    let kept = try answer([7], by: steps, of: b)
    let first = try answer([UInt8](repeating: 0, count: size), by: steps, of: a)
    var last = first
    for _ in 0..<500 { last = try answer([UInt8](repeating: 1, count: size), by: steps, of: a) }
    #expect(try receive(kept, by: steps, of: b) == .answered([7]))
    #expect(try receive(last, by: steps, of: a) == .answered([UInt8](repeating: 1, count: size)))
    #expect(try receive(first, by: steps, of: a) == .first)
    // 64 answers or 2 MiB.
    #expect(steps.count == 1 + min(64, (2 << 20) / size))
  }

  @Test("the answers of all desks are bounded")
  func boundOfAll() throws {
    let steps = AnsweredSteps(FleetLimits())
    for number in 0..<100 {
      for _ in 0..<50 { _ = try answer([1], by: steps, of: try desk("desk-\(number)")) }
    }
    #expect(steps.count == 4096)
    for number in 0..<100 {
      _ = try answer([UInt8](repeating: 1, count: 1 << 20), by: steps, of: try desk("d\(number)"))
    }
    #expect(steps.count == 32)
  }

  @Test("an answer is removed once its desk does not ask again")
  func time() async throws {
    var limits = FleetLimits()
    limits.answer = .milliseconds(1)
    let steps = AnsweredSteps(limits)
    let a = try desk("a")
    let working = try step()
    #expect(try receive(working, by: steps, of: a) == .first)
    let answered = try answer([1], by: steps, of: a)
    try await withTimeLimit(.seconds(60)) {
      while steps.count > 0 { await Task.yield() }
    }
    #expect(try receive(answered, by: steps, of: a) == .first)
    // A request under way is not forgotten.
    #expect(try receive(working, by: steps, of: a) == .underWay)
  }
}
