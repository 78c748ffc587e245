internal import CTesseraV4L2
import Glibc
package import TesseraPictures
import TesseraThreads

/// A picture of a camera, with its number in the order in which the camera delivered them.
package struct NumberedFrame: Sendable {
  /// From 1. Numbers of pictures that no task received may be missing.
  package let number: Int
  package let picture: GrayPicture

  package init(number: Int, picture: GrayPicture) {
    self.number = number
    self.picture = picture
  }
}

/// The tasks that wait for a capture's thread.
final class CaptureMailbox: Sendable {
  typealias Picture = Result<NumberedFrame, CameraError>

  struct Request: Sendable {
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Picture, Never>
  }

  private struct State {
    var requests: [Int: Request] = [:]
    var last = 0
    /// How many pictures were delivered.
    var pictures = 0
    /// Requests that were cancelled before they waited.
    var cancelled: Set<Int> = []
    /// Why there will be no more pictures.
    var end: CameraError?
    var hasThreadEnded = false
    var waitingForEnd: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())
  /// An eventfd: readable while the thread has something to look at.
  let descriptor = tessera_camera_wake_up_descriptor()

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  // MARK: - Tasks

  func number() -> Int {
    state.withLock { state in
      state.last += 1
      return state.last
    }
  }

  /// Waits for the next picture.
  func picture(_ number: Int, until deadline: ContinuousClock.Instant) async -> Picture {
    await withCheckedContinuation { continuation in
      let refusal = state.withLock { state -> CameraError? in
        if state.cancelled.remove(number) != nil { return .cancelled }
        if let end = state.end { return end }
        state.requests[number] = Request(deadline: deadline, continuation: continuation)
        return nil
      }
      if let refusal { continuation.resume(returning: .failure(refusal)) } else { wake() }
    }
  }

  func cancel(_ number: Int) {
    let request = state.withLock { state -> Request? in
      guard let request = state.requests.removeValue(forKey: number) else {
        state.cancelled.insert(number)
        return nil
      }
      return request
    }
    request?.continuation.resume(returning: .failure(.cancelled))
  }

  /// Forgets a request that has its answer.
  func forget(_ number: Int) { state.withLock { _ = $0.cancelled.remove(number) } }

  func waitForEnd() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasThreadEnded { state.waitingForEnd.append(continuation) }
        return state.hasThreadEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  // MARK: - Both

  /// Ends the capture: the waiting tasks and all later ones receive this error. Only the first end counts.
  func end(_ error: CameraError) {
    let requests = state.withLock { state in
      if state.end == nil { state.end = error }
      defer { state.requests = [:] }
      return state.requests
    }
    for request in requests.values { request.continuation.resume(returning: .failure(error)) }
    wake()
  }

  private func wake() { _ = eventfd_write(descriptor, 1) }

  // MARK: - The thread

  var isOpen: Bool { state.withLock { $0.end == nil } }

  /// The first deadline of the waiting tasks; nil if none waits.
  var deadline: ContinuousClock.Instant? { state.withLock { $0.requests.values.map(\.deadline).min() } }

  /// The number of tasks that wait.
  var waiting: Int { state.withLock { $0.requests.count } }

  func noteWakeUp() {
    var count = eventfd_t()
    _ = eventfd_read(descriptor, &count)
  }

  /// The number is given here: a task that is late must not give an old picture a newer number.
  func deliver(_ picture: GrayPicture) {
    let number = state.withLock { state in
      state.pictures += 1
      return state.pictures
    }
    answer(.success(NumberedFrame(number: number, picture: picture))) { _ in true }
  }

  /// Answers the tasks whose deadline has passed.
  func expire(_ error: CameraError) {
    let now = ContinuousClock.now
    answer(.failure(error)) { $0.deadline <= now }
  }

  func threadEnded() {
    let waiting = state.withLock { state in
      state.hasThreadEnded = true
      defer { state.waitingForEnd = [] }
      return state.waitingForEnd
    }
    for continuation in waiting { continuation.resume() }
  }

  private func answer(_ picture: Picture, where isMeant: (Request) -> Bool) {
    let requests = state.withLock { state in
      let requests = state.requests.filter { isMeant($0.value) }
      for number in requests.keys { state.requests[number] = nil }
      return Array(requests.values)
    }
    for request in requests { request.continuation.resume(returning: picture) }
  }
}
