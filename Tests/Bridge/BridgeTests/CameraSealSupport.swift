import Foundation
import TesseraBarcodes
import TesseraCamera
import TesseraCryptography
import TesseraPictures
import TesseraThreads
import TesseraVerification
import TestSupport

@testable import TesseraLinuxProviders

/// The seals of the tests: vectors of the test country Utopia.
enum SealsOfTests {
  private static let file: Vector = {
    let url = Fixtures.tests.appendingPathComponent("Passport/SealsTests/Vectors/vds-made.json")
    return Vector((try? Data(contentsOf: url)).flatMap { try? JSONSerialization.jsonObject(with: $0) })
  }()
  private static var vector: Vector { vector("etd-v4-p256") }

  static func vector(_ id: String) -> Vector { file["vectors"].list.first { $0.id == id } ?? .missing }

  /// An emergency travel document that is genuine at `date`.
  static var bytes: [UInt8] { vector["seal_hex"].bytes }
  /// The zone in it.
  static var lines: [String] { vector["printed_mrz"].list.map(\.text) }
  static var date: Date { (try? Date(vector["at"].text, strategy: .iso8601)) ?? .distantPast }

  /// What verifies it.
  static func trust() throws -> TrustMaterial {
    func certificates(_ names: Vector) throws -> [Certificate] {
      try names.list.map { try Certificate(der: file["certificates"][$0.text]["der_base64"].base64) }
    }
    var trust = TrustMaterial(
      name: "vectors", countrySigners: try certificates(vector["trusted"]),
      documentSigners: try certificates(vector["known_certificates"]))
    // As certificates that the user imported.
    trust.name = nil
    return trust
  }

  static func barcode(_ bytes: [UInt8]) -> Barcode {
    let corners = [(10, 10), (50, 10), (50, 50), (10, 50)].map { Barcode.Corner(x: $0.0, y: $0.1) }
    return Barcode(format: .dataMatrix, bytes: bytes, isText: false, corners: corners)
  }

  static let boardingPass = barcode(Array("M1ERIKSSON/ANNA         EABC123 UTOUTAXX 0123 332Y012A0034 100".utf8))

  /// A page of 1280 by 720 pixels, as a camera delivers it.
  static func page(_ name: String) throws -> GrayPicture {
    try GrayPicture(decoding: Fixtures.file("Passport/BarcodesTests", "made/\(name).png"))
  }

  static func blank() throws -> GrayPicture { try GrayPicture(width: 64, height: 48) { $0.update(repeating: 200) } }
}

/// A camera that shows one page until the test shows another one. As of a camera, each frame is another picture, and has
/// the number of the moment at which it was taken.
final class ShownPictures: FrameSource {
  private let shown: Locked<(page: GrayPicture, last: Int)>
  private let closed = Locked(false)

  init(_ picture: GrayPicture) { shown = Locked((picture, 0)) }

  var isClosed: Bool { closed.withLock { $0 } }

  func show(_ picture: GrayPicture) { shown.withLock { $0.page = picture } }

  func nextNumberedFrame() async throws -> NumberedFrame {
    // A camera has a rate.
    try await Task.sleep(for: .milliseconds(5))
    return try shown.withLock { shown in
      shown.last += 1
      let page = shown.page
      let copy = try GrayPicture(width: page.width, height: page.height) { target in
        page.withPixels { _ = target.update(fromContentsOf: $0) }
      }
      return NumberedFrame(number: shown.last, picture: copy)
    }
  }

  func close() async { closed.withLock { $0 = true } }
}
