import CameraTestSupport
import Foundation
import Tessera
import TestSupport
import Testing

/// The specimen's page with a character that could be another one.
private struct DoubtfulPage {
  /// What the reader finds in the file.
  let candidates: [MRZCandidate]
  let file: [UInt8]

  /// The distance between two characters of the picture.
  private static let pitch = (x: 25.23, y: -0.977)
  /// The middle of the first character of each line.
  private static let starts = [(x: 69.0, y: 568.0), (x: 71.0, y: 632.0)]

  /// Doubts in the document number: S or 8, which have the same check digits.
  static let numbers = Result { try pages(line: 1, column: 1, like: 8, .documentNumber) }
  /// Doubts in the name, which no check digit covers: E or C.
  static let names = Result { try pages(line: 0, column: 7, like: 8, .names) }

  /// The page with the greatest doubt.
  static func greatest(_ pages: Result<[DoubtfulPage], any Error>) throws -> DoubtfulPage {
    try #require(try pages.get().min { ($0.candidates.first?.weight ?? 1) < ($1.candidates.first?.weight ?? 1) })
  }

  /// Mixes a character with another one of its line, with a rising share of that one, and keeps what leaves the field
  /// open. How much of either that needs depends on the reader.
  private static func pages(
    line: Int, column: Int, like other: Int, _ field: MRZDoubt.Field
  ) throws -> [DoubtfulPage] {
    let page = try GrayPicture(decoding: Fixtures.file("Passport/MRZRecognitionTests", "specimen.jpg"))
    let (x, y) = (starts[line].x + pitch.x * Double(column), starts[line].y + pitch.y * Double(column))
    let (dx, dy) = (
      Int((pitch.x * Double(other - column)).rounded()), Int((pitch.y * Double(other - column)).rounded())
    )
    func mixture(_ share: Int) throws -> DoubtfulPage? {
      let mixed = try GrayPicture(width: page.width, height: page.height) { target in
        page.withPixels { pixels in
          _ = target.update(fromContentsOf: pixels)
          for row in Int(y) - 20...Int(y) + 20 {
            for place in Int(x) - 12...Int(x) + 12 {
              let own = Int(pixels[row * page.width + place])
              let foreign = Int(pixels[(row + dy) * page.width + place + dx])
              target[row * page.width + place] = UInt8((own * (100 - share) + foreign * share) / 100)
            }
          }
        }
      }
      let file = try mixed.withPixels {
        try VirtualCamera.jpeg($0, width: mixed.width, height: mixed.height, quality: 95)
      }
      let reading = MRZReader().read(try GrayPicture(decoding: file))
      let candidates = reading.candidates
      let fields = MRZDoubt.doubts(of: candidates).map(\.field)
      return reading.zone == nil && fields == [field] ? DoubtfulPage(candidates: candidates, file: file) : nil
    }
    // Neighbouring shares leave the doubt. A reading takes a second without optimisation: wide steps look for the first.
    let step = 8
    guard let found = try stride(from: 20, through: 70, by: step).first(where: { try mixture($0) != nil }) else {
      return []
    }
    var pages: [DoubtfulPage] = []
    for share in stride(from: max(20, found - step + 2), through: 70, by: 2) {
      if let page = try mixture(share) { pages.append(page) } else if share > found { break }
    }
    return pages
  }
}

extension RealPrograms {
  /// A zone that a picture leaves open.
  @Suite("tessera mrz scan in doubt", .serialized)
  struct MRZDoubtTests {
    private static func shell(_ files: [(String, [UInt8])]) throws -> KeyShell {
      let shell = try KeyShell()
      for (name, bytes) in files {
        try Data(bytes).write(to: URL(fileURLWithPath: shell.folder.file(name)))
      }
      return shell
    }

    @Test("names the field with its readings on standard error, and prints no zone")
    func text() async throws {
      let page = try DoubtfulPage.greatest(DoubtfulPage.numbers)
      let doubt = try #require(MRZDoubt.doubts(of: page.candidates).first)
      let run = try await Self.shell([("page.jpg", page.file)]).run("$T mrz scan page.jpg")
      #expect(run.status == 3 && run.output.isEmpty)
      let readings = doubt.readings.prefix(2)
      #expect(Set(readings) == ["TS0264718", "T80264718"])
      #expect(run.errors.contains("page.jpg leaves a doubt: document number \(readings.joined(separator: " or "))"))
      #expect(run.errors.contains("passport read --mrz -") && !run.errors.contains("Photograph"), "\(run.errors)")
    }

    @Test("has the candidates with their weights and the doubts in its JSON, and the readings nowhere in the message")
    func json() async throws {
      let page = try DoubtfulPage.greatest(DoubtfulPage.numbers)
      let run = try await Self.shell([("page.jpg", page.file)]).run("$T mrz scan --json page.jpg")
      #expect(run.status == 3)
      let object = try JSONValue(text: run.output)
      guard case .array(let candidates) = object["candidates"], case .array(let doubts) = object["doubts"] else {
        Issue.record("no candidates: \(run.output.count) characters")
        return
      }
      #expect(candidates.map { $0["mrz"]?.stringValue } == page.candidates.map(\.zone.text))
      #expect(candidates.allSatisfy { $0["format"] == "TD3" && $0["dateOfBirth"] == "900214" })
      let weights: [Double] = candidates.map { candidate in
        guard case .number(let number) = candidate["weight"] else { return -1 }
        return number.double ?? -1
      }
      #expect(weights == weights.sorted(by: >) && weights.allSatisfy { (0...1).contains($0) })
      #expect(doubts.map { $0["field"] } == ["document number"])
      #expect(object["error"]?["code"] == "noZone" && object["image"] == nil)
      let message = try #require(object["error"]?["message"]?.stringValue)
      #expect(message.contains("document number") && !message.contains("0264718"))
    }

    @Test("its JSON opens the chip, which decides")
    func pipeline() async throws {
      let page = try DoubtfulPage.greatest(DoubtfulPage.numbers)
      let run = try await Self.shell([("page.jpg", page.file)]).run(
        "$T mrz scan --json page.jpg | $T passport read --virtual --mrz - --json")
      #expect(run.status == 0)
      #expect(try JSONValue(text: run.output)["document"]?["documentNumber"] == "TS0264718")
      #expect(run.errors.contains("opened with document number TS0264718"), "\(run.errors)")
    }

    @Test("a doubt in the name leaves the key of the chip alone")
    func name() async throws {
      let page = try DoubtfulPage.greatest(DoubtfulPage.names)
      let shell = try Self.shell([("page.jpg", page.file)])
      let scan = try await shell.run("$T mrz scan page.jpg")
      #expect(scan.status == 3 && scan.errors.contains("leaves a doubt: name SP"), "\(scan.errors)")
      #expect(scan.errors.contains("The key of the chip is in no doubt"))
      let read = try await shell.run("$T mrz scan --json page.jpg 2>/dev/null | $T passport read --virtual --mrz -")
      #expect(read.status == 0 && read.errors.isEmpty, "\(read.errors)")
    }

    // MARK: - Several pictures

    @Test("pictures of one document decide together what each leaves open; each has its result, in order")
    func vote() async throws {
      let clear = Fixtures.file("Passport/MRZRecognitionTests", "specimen.jpg")
      // Those that are nearly decided.
      let number = try #require(try DoubtfulPage.numbers.get().first)
      let name = try #require(try DoubtfulPage.names.get().first)
      let shell = try Self.shell([
        ("number.jpg", number.file), ("name.jpg", name.file), ("clear.jpg", clear),
        ("other.jpg", Fixtures.file("Passport/MRZRecognitionTests", "td3-1.jpg")),
      ])
      let specimen = try await shell.run("$T mrz scan clear.jpg").output
      for names in [
        ["number.jpg", "clear.jpg"], ["clear.jpg", "other.jpg", "number.jpg"], ["number.jpg", "other.jpg", "name.jpg"],
      ] {
        let run = try await shell.run("$T mrz scan \(names.joined(separator: " "))")
        #expect(run.status == 0, "\(names): \(run.errors)")
        #expect(run.output.components(separatedBy: specimen).count == 3)
        let places = names.compactMap { run.output.range(of: "\($0):\n")?.lowerBound }
        #expect(places.count == names.count && places == places.sorted())
      }
    }

    @Test("a picture of another document decides nothing")
    func others() async throws {
      let shell = try Self.shell([
        ("number.jpg", try DoubtfulPage.greatest(DoubtfulPage.numbers).file),
        ("other.jpg", Fixtures.file("Passport/MRZRecognitionTests", "td3-1.jpg")),
        ("card.jpg", Fixtures.file("Passport/MRZRecognitionTests", "td1-1.jpg")),
      ])
      let run = try await shell.run("$T mrz scan --json other.jpg number.jpg card.jpg")
      #expect(run.status == 3)
      let objects = try run.output.split(separator: "\n").map { try JSONValue(text: $0) }
      #expect(objects.map { $0["image"] } == ["other.jpg", "number.jpg", "card.jpg"])
      #expect(objects.map { $0["candidates"] != nil } == [false, true, false])
    }

    // MARK: - The camera

    @Test("the camera ends before its time when frame after frame leaves the same doubt, and names it")
    func camera() async throws {
      let page = try DoubtfulPage.greatest(DoubtfulPage.numbers)
      let camera = try VirtualCamera(showing: [try GrayPicture(decoding: page.file)])
      let run = try await ProgramRun.tessera(
        ["mrz", "scan", "--camera", camera.node, "--wait", "3600", "--json"], environment: camera.environment)
      #expect(run.status == 3 && run.errors.contains("The camera leaves a doubt: document number T"), "\(run.errors)")
      #expect(try JSONValue(text: run.output)["doubts"] != nil)
    }
  }
}
