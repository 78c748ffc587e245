import Foundation
import Tessera

/// The peak resident memory of a process that reads a document, and the anonymous part at its end. The rest are pages
/// of program and library files, which other processes share. The reader is this program in a separate process; the
/// chip stays in this process, connected by a socket.
enum PeakMemory {
  private static let argument = "--read-for-peak-memory"
  private static let nothing = "nothing"
  private static let reading = "reading"

  static func run(_ document: MeasuredDocument) throws -> [Measurement] {
    let (reader, idle) = (try memory(document, ReadingMode.bac), try memory(document, nil))
    return [
      Measurement(
        "peak resident memory of a read", reader.peak, .mebibytes, floor: idle.peak, of: "doing nothing", goal: 20),
      Measurement("  of which anonymous", reader.own, .mebibytes, floor: idle.own, of: "doing nothing"),
    ]
  }

  /// The memory in mebibytes.
  ///
  /// - Parameter mode: Nil for a process that ends immediately.
  private static func memory(_ document: MeasuredDocument, _ mode: ReadingMode?) throws -> (peak: Double, own: Double) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw POSIXError(.EIO) }
    let reader = Process()
    reader.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    reader.arguments = [argument, mode == nil ? nothing : reading]
    let output = Pipe()
    let childEnd = FileHandle(fileDescriptor: ends[1], closeOnDealloc: false)
    reader.standardInput = childEnd
    reader.standardOutput = output
    try reader.run()
    close(ends[1])
    defer { close(ends[0]) }
    let socket = FramedSocket(descriptor: ends[0])
    if let mode {
      var chip = try document.chip(mode.profile)
      while let command = try socket.receive() { try socket.send(chip.process(command)) }
    }
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    reader.waitUntilExit()
    let kibibytes = String(decoding: data, as: UTF8.self).split(separator: " ").compactMap { Double($0) }
    guard reader.terminationStatus == 0, kibibytes.count == 2 else { throw POSIXError(.ECHILD) }
    return (kibibytes[0] / 1024, kibibytes[1] / 1024)
  }

  // MARK: - In the separate process

  /// Whether this process is the reader. If so, it has read the document and printed its memory.
  static func isReader(_ arguments: [String]) async throws -> Bool {
    guard arguments.count == 3, arguments[1] == argument else { return false }
    if arguments[2] == reading {
      let request = InspectionRequest(key: .mrz(try MeasuredDocument.key()), dataGroups: [1, 2])
      let card = Card(channel: FramedSocket(descriptor: 0), readerName: "bench")
      _ = try Report(try await Inspection.read(card, request))
    }
    print(try ownStatus("VmHWM:"), try ownStatus("RssAnon:"), terminator: "")
    return true
  }

  /// The memory in kibibytes. The kernel's value for a parent (wait4(2)) would include the parent's own memory.
  static func ownStatus(_ field: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
    guard let words = line?.split(whereSeparator: \.isWhitespace), words.count > 1, let count = Int(words[1]) else {
      throw POSIXError(.ENODATA)
    }
    return count
  }
}

/// Commands and responses over a stream, each preceded by its length.
private struct FramedSocket: CardChannel {
  let descriptor: Int32

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    try send(command)
    guard let answer = try receive() else { throw CardError.cardRemoved }
    return answer
  }

  func send(_ message: [UInt8]) throws {
    let bytes = [UInt8(message.count >> 16), UInt8(message.count >> 8 & 0xFF), UInt8(message.count & 0xFF)] + message
    guard write(descriptor, bytes, bytes.count) == bytes.count else { throw CardError.cardRemoved }
  }

  /// Returns nil at the end of the stream.
  func receive() throws -> [UInt8]? {
    guard let head = try read(3) else { return nil }
    return try read(head.reduce(0) { $0 << 8 | Int($1) })
  }

  private func read(_ count: Int) throws -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var received = 0
    while received < count {
      let part = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + received }, count - received)
      }
      guard part > 0 else { return nil }
      received += part
    }
    return bytes
  }
}
