import Glibc
import TesseraMRZRecognition
import TesseraPictures

/// Reads frames from standard input and answers with one line of JSON for each, for `Tests/MRZRecognition/run`.
///
/// A frame is the line `frame WIDTH HEIGHT` and its luminance, a byte a pixel. The line `sequence` begins a sequence:
/// its frames vote. The line `single` ends it.
@main
enum FrameReader {
  static func main() throws {
    let reader = MRZReader()
    var vote: ZoneVote?
    while let line = try header() {
      let words = line.split(separator: " ")
      switch words.first {
      case "sequence": vote = ZoneVote()
      case "single": vote = nil
      case "frame":
        guard words.count == 3, let width = Int(words[1]), let height = Int(words[2]) else { throw Malformed() }
        let picture = try GrayPicture(width: width, height: height) { try fill(UnsafeMutableRawBufferPointer($0)) }
        let start = ContinuousClock.now
        let reading = reader.read(picture)
        let zone = vote != nil ? vote?.add(reading) : reading.zone
        answer(reading, zone, ContinuousClock.now - start)
      default: throw Malformed()
      }
    }
  }

  private struct Malformed: Error {}

  private static func answer(_ reading: MRZReading, _ zone: RecognizedZone?, _ time: Duration) {
    let text = zone.map { "\"\($0.lines.joined(separator: "\\n"))\"" } ?? "null"
    let state = ["no_text", "text_detected", "one_mrz_line", "mrz_detected"][reading.state.rawValue]
    let line = "{\"zone\": \(text), \"state\": \"\(state)\", \"milliseconds\": \(time / .milliseconds(1))}\n"
    _ = line.utf8CString.withUnsafeBytes { write(1, $0.baseAddress, $0.count - 1) }
  }

  /// The next line; nil at the end of the input.
  private static func header() throws -> String? {
    var bytes: [UInt8] = []
    while bytes.count < 64 {
      var byte: UInt8 = 0
      guard read(0, &byte, 1) == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    throw Malformed()
  }

  private static func fill(_ pixels: UnsafeMutableRawBufferPointer) throws {
    var rest = pixels[...]
    while !rest.isEmpty {
      let count = read(0, UnsafeMutableRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      guard count > 0 else { throw Malformed() }
      rest = rest.dropFirst(count)
    }
  }
}
