internal import TesseraJSON
internal import TesseraThreads

/// The emissions of a client that have no result yet: those that wait for a connection, in their order, and those that
/// were handed to one.
struct Outbox {
  private let limits: SocketConfiguration.Limits
  private var waiting: [Emission] = []
  /// By their number: not written yet, or written and not acknowledged.
  private var sent: [Int: Emission] = [:]
  /// In bytes: the length of those that are not written.
  private var unwrittenBytes = 0
  private var lastNumber = 0

  init(_ limits: SocketConfiguration.Limits) { self.limits = limits }

  /// The number of emissions that have no result yet.
  var count: Int { waiting.count + sent.count }

  /// Adds an emission behind the others.
  ///
  /// - Throws: `SocketEmissionError.full`.
  mutating func append(
    _ text: String, _ identifier: AcknowledgementIdentifier?, mayWait: Bool
  ) throws(SocketEmissionError) -> Emission {
    guard count < limits.unsentEvents, text.utf8.count <= limits.unsentBytes - unwrittenBytes else {
      throw .full
    }
    lastNumber += 1
    let emission = Emission(number: lastNumber, text: text, identifier: identifier, mayWait: mayWait)
    waiting.append(emission)
    unwrittenBytes += emission.bytes
    return emission
  }

  /// Adds an emission before the others, for the present connection only. Nobody waits for its result.
  mutating func prepend(_ text: String) {
    lastNumber += 1
    let emission = Emission(number: lastNumber, text: text, identifier: nil, mayWait: false)
    waiting.insert(emission, at: 0)
    unwrittenBytes += emission.bytes
  }

  /// Takes all that wait, to hand them to a connection.
  ///
  /// - Parameter limit: the number of bytes that the server accepts in one message. Longer ones fail.
  mutating func takeWaiting(limit: Int) -> [Emission] {
    var taken: [Emission] = []
    for emission in waiting {
      if emission.bytes > limit {
        unwrittenBytes -= emission.bytes
        emission.result.settle(.failure(SocketEmissionError.tooLarge(limit: limit)))
      } else {
        sent[emission.number] = emission
        taken.append(emission)
      }
    }
    waiting = []
    return taken
  }

  /// The operating system has taken the emission.
  mutating func written(_ number: Int) {
    guard let emission = sent[number] else { return }
    unwrittenBytes -= emission.bytes
    if emission.identifier == nil || emission.result.isSettled {
      sent[number] = nil
      emission.result.settle(.success([]))
    } else {
      // The text is not needed any more.
      sent[number] = emission.withoutText
    }
  }

  /// The server has acknowledged an event. Other acknowledgements than those that are waited for are ignored: they may
  /// be late.
  mutating func acknowledged(_ identifier: AcknowledgementIdentifier, _ values: [JSONValue]) {
    guard let emission = sent.values.first(where: { $0.identifier == identifier }) else { return }
    unwrittenBytes -= emission.bytes
    sent[emission.number] = nil
    emission.result.settle(.success(values))
  }

  /// Removes an emission whose sender no longer waits for its result.
  ///
  /// - Returns: Whether it was not handed to a connection, and never will be.
  mutating func withdraw(_ number: Int) -> Bool {
    if let index = waiting.firstIndex(where: { $0.number == number }) {
      let emission = waiting.remove(at: index)
      unwrittenBytes -= emission.bytes
      emission.result.settle(.failure(CancellationError()))
      return true
    }
    guard let emission = sent[number] else { return false }
    emission.result.settle(.failure(CancellationError()))
    // Its bytes count until they are written.
    if emission.isWritten { sent[number] = nil }
    return false
  }

  /// The connection is over: what was given to it fails, and what was not waits for the next one.
  mutating func connectionLost() {
    var unsent: [Emission] = []
    for (_, emission) in sent.sorted(by: { $0.key < $1.key }) {
      if emission.mayWait, !emission.result.isSettled, !emission.hasBegun.withLock({ $0 }) {
        unsent.append(emission)
      } else {
        unwrittenBytes -= emission.bytes
        emission.result.settle(.failure(SocketEmissionError.interrupted))
      }
    }
    sent = [:]
    waiting = unsent + waiting
  }

  /// The client has ended: all that wait fail.
  mutating func end(_ error: SocketError?) {
    connectionLost()
    for emission in waiting { emission.result.settle(.failure(SocketEmissionError.ended(error))) }
    waiting = []
    unwrittenBytes = 0
  }
}

/// An event or an acknowledgement on its way to the server.
struct Emission: Sendable {
  let number: Int
  /// The text of the message; empty once it is written.
  private(set) var text: String
  /// What the acknowledgement of the event will have; nil if none is wanted.
  let identifier: AcknowledgementIdentifier?
  /// Whether it waits for the next connection if it was not given to the present one.
  let mayWait: Bool
  /// The values of the acknowledgement; empty if none is wanted.
  let result = FirstResult<[JSONValue]>()
  /// Whether it was given to a connection. It is never given to another one then. Set on the connection's thread.
  let hasBegun = Locked(false)

  init(number: Int, text: String, identifier: AcknowledgementIdentifier?, mayWait: Bool) {
    self.number = number
    self.text = text
    self.identifier = identifier
    self.mayWait = mayWait
  }

  var bytes: Int { text.utf8.count }
  var isWritten: Bool { text.isEmpty }

  /// The same emission once it is written, when its text is not needed any more.
  var withoutText: Emission {
    var emission = self
    emission.text = ""
    return emission
  }
}
