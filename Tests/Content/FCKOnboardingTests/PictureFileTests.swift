import Testing

@testable import FCKOnboarding

/// The limits of pictures, before they are decoded.
@Suite("the limits of pictures")
struct PictureFileTests {
  private static func png(width: Int, height: Int, bits: UInt8 = 8, type: UInt8 = 2) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + number(13) + Array("IHDR".utf8) + number(width)
      + number(height) + [bits, type, 0, 0, 0]
  }

  /// A JPEG with so many scans, which have no data.
  private static func jpeg(scans: Int) -> [UInt8] {
    let frame: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC2, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0]
    let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
    return frame + (0..<scans).flatMap { _ in scan } + [0xFF, 0xD9]
  }

  private static func problem(_ bytes: [UInt8]) -> PictureFile.Problem? {
    do throws(PictureFile.Problem) {
      _ = try PictureFile(bytes)
      return nil
    } catch { return error }
  }

  @Test("4096 pixels and 5 MB are allowed, more is not")
  func sizes() {
    #expect(Self.problem(Self.png(width: 4096, height: 4096)) == nil)
    #expect(Self.problem(Self.png(width: 4097, height: 1)) == .tooLarge)
    #expect(Self.problem(Self.png(width: 1, height: 4097)) == .tooLarge)
    #expect(Self.problem(Self.png(width: 4096, height: 4096, bits: 16, type: 6)) == .tooLarge)
    let padding = [UInt8](repeating: 0, count: (5 << 20) - Self.png(width: 1, height: 1).count)
    #expect(Self.problem(Self.png(width: 1, height: 1) + padding) == nil)
    #expect(Self.problem(Self.png(width: 1, height: 1) + padding + [0]) == .tooLarge)
  }

  @Test("a JPEG has at most 100 scans")
  func scans() {
    #expect(Self.problem(Self.jpeg(scans: 100)) == nil)
    #expect(Self.problem(Self.jpeg(scans: 101)) == .tooLarge)
  }

  @Test("other formats and damaged headers are refused")
  func formats() {
    #expect(Self.problem(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)) == .format)
    #expect(Self.problem([]) == .format)
    #expect(Self.problem(Array(Self.png(width: 1, height: 1).prefix(20))) == .header)
    #expect(Self.problem(Self.png(width: 0, height: 1)) == .header)
  }

  @Test("pictures share 256 MB, and give back what they had")
  func budget() {
    #expect(PictureBudget.standard == 256 << 20)
    let budget = PictureBudget()
    #expect(budget.take(PictureBudget.standard - 1) && budget.take(1) && !budget.take(1))
    budget.give(2)
    #expect(budget.take(2) && !budget.take(1))
  }
}
