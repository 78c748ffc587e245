import Glibc
import TesseraMRZRecognition
import TesseraPictures

/// Reads frames from standard input and answers with one line of JSON for each, for `Tests/Passport/MRZRecognition/run`.
///
/// A frame is the line `frame WIDTH HEIGHT` and its luminance, a byte a pixel. The line `sequence` begins a sequence:
/// its frames vote. The line `single` ends it. Besides the zone that the reader gives, an answer has the most probable
/// zone with right check digits, however uncertain (`candidate`), the cost of its corrections and its margins.
@main
enum FrameReader {
  static func main() throws {
    let reader = MRZReader()
    var vote = ZoneVote()
    var isSequence = false
    while let line = try header() {
      let words = line.split(separator: " ")
      switch words.first {
      case "sequence": (vote, isSequence) = (ZoneVote(), true)
      case "single": isSequence = false
      case "frame":
        guard words.count == 3, let width = Int(words[1]), let height = Int(words[2]) else { throw Malformed() }
        let picture = try GrayPicture(width: width, height: height) { try fill(UnsafeMutableRawBufferPointer($0)) }
        let start = ContinuousClock.now
        let reading = reader.read(picture)
        if !isSequence { vote = ZoneVote() }
        let zone = vote.add(reading)
        answer(reading, zone, vote, ContinuousClock.now - start)
      default: throw Malformed()
      }
    }
  }

  private struct Malformed: Error {}

  private static func answer(_ reading: MRZReading, _ zone: RecognizedZone?, _ vote: ZoneVote, _ time: Duration) {
    func text(_ lines: [String]?) -> String { lines.map { "\"\($0.joined(separator: "\\n"))\"" } ?? "null" }
    let candidate = reading.state == .zone ? vote.candidate : nil
    let state = ["no_text", "text_detected", "one_mrz_line", "mrz_detected"][reading.state.rawValue]
    let line =
      "{\"zone\": \(text(zone?.lines)), \"state\": \"\(state)\", \"milliseconds\": \(time / .milliseconds(1)), "
      + "\"candidate\": \(text(candidate?.lines)), \"correction\": \(candidate?.correction ?? 0), "
      + "\"margin\": \(min(candidate?.margin ?? 0, 1000)), "
      + "\"uncheckedMargin\": \(min(candidate?.uncheckedMargin ?? 0, 1000))}\n"
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
