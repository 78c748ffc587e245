import Foundation
import TesseraThreads

/// A PN532 on a serial line: `PN53xChip` behind one end of a pseudo terminal, whose other end libnfc's driver
/// `pn532_uart` opens. It runs on a separate thread until it is unplugged.
public final class PN532: Sendable {
  /// Changes the bytes of a response before the host receives them; nil drops them.
  ///
  /// - Parameters:
  ///   - command: The code of the command.
  ///   - frame: The whole frame.
  public typealias Disturbance = @Sendable (_ command: UInt8, _ frame: [UInt8]) -> [UInt8]?

  /// The host's end, `/dev/pts/N`.
  public let path: String
  public let field: ContactlessField
  private let line: SerialLine

  /// The libnfc connection string.
  public var connstring: String { "pn532_uart:\(path)" }

  /// - Parameter largestExchange: See `PN53xChip`.
  public init(_ card: ContactlessCard? = nil, largestExchange: Int = PN53xChip.largestExchange) throws {
    field = ContactlessField(card)
    var chip = PN53xChip(field: field)
    chip.largestExchange = largestExchange
    line = try SerialLine(chip)
    path = line.path
    field.attach { [weak line] in line?.wake() }
    let thread = Thread { [line] in
      // libnfc waits 350 ms for the response to a command. On a busy machine a usual thread may get no turn for longer.
      // Only root may have this priority.
      var parameters = sched_param(sched_priority: 1)
      pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters)
      line.serve()
    }
    thread.name = "pn532"
    thread.start()
  }

  deinit { line.unplug() }

  /// Unplugs the device: closes the line and removes the device node. May be called from within an exchange.
  public func unplug() { line.unplug() }

  /// The codes of all commands so far.
  public var commands: [UInt8] { line.commands }

  /// The bit rate of the card: 0 is 106 kbit/s, 1 is 212, 2 is 424.
  public var bitRate: UInt8 { line.bitRate }

  /// The number of commands that the host aborted.
  public var abortions: Int { line.abortions }

  /// Changes all following responses; nil leaves them unchanged.
  public func disturb(_ disturbance: Disturbance?) { line.disturb(disturbance) }
}

/// The chip's end of the line.
private final class SerialLine: Sendable {
  private struct State {
    var commands: [UInt8] = []
    var abortions = 0
    var bitRate: UInt8 = 0
    var disturbance: PN532.Disturbance?
    var isCut = false
  }

  let path: String
  private let master: Int32
  /// Stays open, so that the line survives when a host closes it.
  private let slave: Int32
  private let chip: PN53xChip
  private let waker: (read: Int32, write: Int32)
  private let state = Locked(State())

  init(_ chip: PN53xChip) throws {
    var (master, slave) = (Int32(-1), Int32(-1))
    var name = [CChar](repeating: 0, count: 128)
    guard openpty(&master, &slave, &name, nil, nil) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    var settings = termios()
    tcgetattr(slave, &settings)
    cfmakeraw(&settings)
    tcsetattr(slave, TCSANOW, &settings)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    for descriptor in [master, slave] + ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    self.master = master
    self.slave = slave
    self.chip = chip
    waker = (ends[0], ends[1])
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { for descriptor in [waker.read, waker.write] { close(descriptor) } }

  var commands: [UInt8] { state.withLock { $0.commands } }
  var bitRate: UInt8 { state.withLock { $0.bitRate } }
  var abortions: Int { state.withLock { $0.abortions } }

  func disturb(_ disturbance: PN532.Disturbance?) { state.withLock { $0.disturbance = disturbance } }

  func wake() {
    var byte: UInt8 = 0
    _ = write(waker.write, &byte, 1)
  }

  func unplug() {
    state.withLock { $0.isCut = true }
    wake()
  }

  private var isCut: Bool { state.withLock { $0.isCut } }

  /// Only this thread uses the chip and the two ends.
  func serve() {
    var chip = chip
    var parser = PN53xFrameParser()
    var buffer = [UInt8](repeating: 0, count: 4096)
    var running: UInt8 = 0
    while !isCut {
      var ends = [pollfd(fd: master, events: Int16(POLLIN), revents: 0)]
      ends.append(pollfd(fd: waker.read, events: Int16(POLLIN), revents: 0))
      guard poll(&ends, 2, -1) >= 0 || errno == EINTR else { break }
      if ends[1].revents != 0 {
        _ = read(waker.read, &buffer, buffer.count)
        if let outcome = chip.retry() { send(outcome, running) }
      }
      guard ends[0].revents != 0, !isCut else { continue }
      let count = read(master, &buffer, buffer.count)
      guard count > 0 else { break }
      for frame in parser.take(buffer.prefix(count)) where !isCut {
        switch frame {
        case .command(let command):
          running = command.first ?? 0
          state.withLock { $0.commands.append(running) }
          transmit(PN53xFrame.acknowledgement)
          send(chip.execute(command), running)
          let bitRate = chip.bitRate
          state.withLock { $0.bitRate = bitRate }
        case .acknowledge:
          chip.abort()
          state.withLock { $0.abortions += 1 }
        case .negativeAcknowledge, .malformed: break
        }
      }
    }
    close(slave)
    close(master)
  }

  private func send(_ outcome: PN53xChip.Outcome, _ command: UInt8) {
    guard !isCut else { return }
    let frame: [UInt8]
    switch outcome {
    case .answer(let data): frame = PN53xFrame.answer(data)
    case .syntaxError: frame = PN53xFrame.syntaxError
    case .pending: return
    }
    guard let disturbance = state.withLock({ $0.disturbance }) else { return transmit(frame) }
    if let changed = disturbance(command, frame) { transmit(changed) }
  }

  private func transmit(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
