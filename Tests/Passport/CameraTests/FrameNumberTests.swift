import TesseraPictures
import TestSupport
import Testing

@testable import TesseraCamera

@Suite("Numbers of frames")
struct FrameNumberTests {
  @Test("tasks that wait together receive one picture with one number, and later ones a higher number")
  func numbers() async throws {
    let mailbox = CaptureMailbox()
    let picture = try GrayPicture(width: 8, height: 8) { $0.update(repeating: 1) }
    var seen: [[Int]] = []
    for _ in 0..<3 {
      let requests = (0..<2).map { _ in
        let number = mailbox.number()
        return Task { try await mailbox.picture(number, until: .now + .seconds(600)).get().number }
      }
      try await eventually { mailbox.waiting == 2 }
      mailbox.deliver(picture)
      var numbers: [Int] = []
      for request in requests { numbers.append(try await request.value) }
      seen.append(numbers)
    }
    #expect(seen == [[1, 1], [2, 2], [3, 3]])
  }
}
