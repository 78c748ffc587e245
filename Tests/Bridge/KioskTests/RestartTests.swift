import TesseraKiosk
import Testing

@Suite("The restarts of a kiosk")
struct RestartTests {
  @Test("doubles the wait up to the longest one")
  func backoff() {
    let backoff = Backoff(first: .seconds(1), longest: .seconds(10))
    #expect((1...6).map { backoff.delay(after: $0) } == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
    #expect(backoff.delay(after: .max) == .seconds(10))
    #expect(backoff.delay(after: 0) == .seconds(1))
    #expect(Backoff(first: .seconds(5), longest: .seconds(2)).delay(after: 3) == .seconds(2))
  }

  @Test("gives up after the last failure of a row")
  func row() {
    var policy = RestartPolicy(mostFailures: 3)
    #expect(policy.failed(shown: nil) == .seconds(1))
    #expect(policy.failed(shown: .seconds(59)) == .seconds(2))
    #expect(policy.failed(shown: nil) == nil)
  }

  @Test("counts anew after a page that was shown for a minute")
  func stable() {
    var policy = RestartPolicy(mostFailures: 3)
    for _ in 0..<20 {
      #expect(policy.failed(shown: .seconds(60)) == .seconds(1))
      #expect(policy.failed(shown: .seconds(1)) == .seconds(2))
    }
    #expect(policy.failed(shown: nil) == nil)
  }
}
