import TesseraJSON
import Testing

@testable import PassageProtocol

/// Statistics of use: batches of 10 or 5 s, retries after 1, 2 and 3 s, at most 100.
@Suite struct AnalyticsTests {
  private static func add(_ count: Int, to queue: inout AnalyticsQueue) -> [AnalyticsQueue.Step] {
    (0..<count).flatMap { queue.add(.integer(Int64($0))) }
  }

  @Test("Ten events are a batch") func batchOfTen() {
    var queue = AnalyticsQueue()
    #expect(Self.add(9, to: &queue) == [.startBatchTimer])
    #expect(queue.add(9) == [.cancelBatchTimer, .send((0..<10).map { .integer($0) })])
    #expect(queue.waiting.isEmpty)
    #expect(queue.finished(isTaken: true) == [] && queue.sending == nil)
  }

  @Test("Fewer are sent after five seconds") func batchTimer() {
    var queue = AnalyticsQueue()
    _ = queue.add(1)
    #expect(AnalyticsQueue.pause == .seconds(5))
    #expect(queue.batchTimerFired() == [.cancelBatchTimer, .send([1])])
    #expect(queue.batchTimerFired() == [])
  }

  @Test("A refused batch is sent again after 1, 2 and 3 seconds, then it joins the queue") func retries() {
    var queue = AnalyticsQueue()
    _ = Self.add(10, to: &queue)
    let batch: [JSONValue] = (0..<10).map { .integer($0) }
    for seconds in 1...3 {
      #expect(queue.finished(isTaken: false) == [.startRetryTimer(seconds)])
      #expect(queue.retryTimerFired() == [.send(batch)])
    }
    #expect(queue.finished(isTaken: false) == [.startBatchTimer])
    #expect(queue.waiting == batch && queue.sending == nil)
  }

  @Test("No more than 100 events wait") func limit() {
    var queue = AnalyticsQueue()
    _ = Self.add(10 + 150, to: &queue)
    #expect(queue.waiting.count == 100)
    for _ in 0..<3 { _ = queue.finished(isTaken: false) }
    // The queue is full, so the batch is lost, and the next one goes.
    #expect(queue.finished(isTaken: false).last == .send((10..<20).map { .integer($0) }))
    #expect(queue.waiting.count == 90)
  }

  @Test("They are off unless the program names an address") func off() throws {
    var showing = try Showing()
    showing.open()
    #expect(!showing.all.contains { if case .startTimer(.analytics, _) = $0 { true } else { false } })
    var config = Showing.config
    config.analyticsUrl = "https://count.example/analytics"
    var counted = try Showing(config)
    counted.open()
    #expect(counted.all.contains(.startTimer(.analytics, .seconds(5))))
    counted.fire(.analytics)
    let requests = counted.take().compactMap { if case .send(_, let request) = $0 { request } else { nil } }
    #expect(requests.map(\.address) == ["https://count.example/analytics"])
    let body = String(decoding: requests.first?.body ?? [], as: UTF8.self)
    #expect(body.contains("SDK_MODAL_OPENED") && !body.contains("h.p.s"))
  }
}
