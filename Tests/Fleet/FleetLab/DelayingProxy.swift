internal import Dispatch
internal import Foundation
internal import TesseraCore
internal import TesseraThreads
internal import TestSupport

/// A proxy in front of a port of this machine that passes everything on after a delay, as a long line does. Its line can be
/// cut: then nothing passes, and neither end is told, as with a cable that is pulled out.
package final class DelayingProxy: Sendable {
  /// The port at which it listens.
  package let port: UInt16
  private let target: UInt16
  private let delay: Duration
  private let listener: Int32
  private let descriptors = Locked<[Int32]?>([])
  /// Entered while the line is cut.
  private let cuts = DispatchGroup()
  private let isCut = Locked(false)

  /// - Parameter delay: of each direction: a round trip takes twice as long.
  package init(to target: UInt16, delay: Duration) throws {
    self.target = target
    self.delay = delay
    let reserved = try ReservedPort()
    port = UInt16(clamping: reserved.number)
    listener = try LoopbackPort.listen(port)
    DetachedThread.start(name: "proxy") { [self] in accept() }
  }

  /// Keeps what comes from now on, until `mend()`. What has passed already may still be on its way to its receiver.
  package func cut() {
    isCut.withLock { isCut in
      if !isCut { cuts.enter() }
      isCut = true
    }
  }

  /// Passes on what was kept, as the ends of a line send it again.
  package func mend() {
    isCut.withLock { isCut in
      if isCut { cuts.leave() }
      isCut = false
    }
  }

  /// Closes all connections.
  package func stop() {
    mend()
    shutdown(listener, Int32(SHUT_RDWR))
    descriptors.withLock { descriptors in
      for descriptor in descriptors ?? [] { shutdown(descriptor, Int32(SHUT_RDWR)) }
      descriptors = nil
    }
  }

  private func accept() {
    while true {
      let client = Foundation.accept(listener, nil, nil)
      if client < 0, errno == EINTR { continue }
      guard client >= 0 else { break }
      guard let server = try? LoopbackPort.connect(target) else {
        close(client)
        continue
      }
      var on: Int32 = 1
      for descriptor in [client, server] {
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      }
      let isOpen = descriptors.withLock { descriptors in
        descriptors?.append(contentsOf: [client, server])
        return descriptors != nil
      }
      if !isOpen { for descriptor in [client, server] { shutdown(descriptor, Int32(SHUT_RDWR)) } }
      let end = DispatchGroup()
      for (source, destination) in [(client, server), (server, client)] {
        pass(source, destination, end)
      }
      // Closed once no thread uses them, since their numbers may then be in use for something else.
      end.notify(queue: .global()) { [self] in
        descriptors.withLock { $0?.removeAll { $0 == client || $0 == server } }
        close(client)
        close(server)
      }
    }
    close(listener)
  }

  /// What was received and when it is due; nil bytes at the end.
  private struct Piece: Sendable {
    var due: ContinuousClock.Instant
    var bytes: [UInt8]
  }

  private func pass(_ source: Int32, _ destination: Int32, _ end: DispatchGroup) {
    let pieces = Locked<[Piece]>([])
    let count = DispatchSemaphore(value: 0)
    end.enter()
    DetachedThread.start(name: "proxy-in") { [delay] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var received = 1
      while received > 0 {
        received = recv(source, &buffer, buffer.count, 0)
        if received < 0, errno == EINTR {
          received = 1
          continue
        }
        let piece = Piece(due: .now + delay, bytes: Array(buffer.prefix(max(0, received))))
        pieces.withLock { $0.append(piece) }
        count.signal()
      }
      end.leave()
    }
    end.enter()
    DetachedThread.start(name: "proxy-out") { [cuts] in
      while true {
        count.wait()
        let piece = pieces.withLock { $0.removeFirst() }
        let wait = ContinuousClock.now.duration(to: piece.due)
        if wait > .zero { usleep(UInt32(clamping: Int64(wait / .microseconds(1)))) }
        cuts.wait()
        guard !piece.bytes.isEmpty, Self.send(piece.bytes, to: destination) else { break }
      }
      shutdown(source, Int32(SHUT_RDWR))
      shutdown(destination, Int32(SHUT_RDWR))
      end.leave()
    }
  }

  private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
