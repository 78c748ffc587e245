internal import CTesseraBarcodes
public import TesseraCore
public import TesseraPictures

/// Makes symbols with bytes, for tests of readers.
///
/// libzxing 1.4 (Debian 12) writes a few bytes wrongly in some Aztec symbols. So each symbol is read again, and one that
/// reads otherwise is refused.
public struct BarcodeWriter: Sendable {
  /// The sides of a module, in pixels.
  public static let moduleSizes = 1...40
  /// The side at which a symbol is read again.
  private static let readableSize = 4

  private let format: Barcode.Format
  /// Where libzxing is; nil for the system's folders.
  private let folder: String?

  /// A writer of this kind of symbol.
  public init(_ format: Barcode.Format) { self.init(format, folder: nil) }

  init(_ format: Barcode.Format, folder: String?) {
    self.format = format
    self.folder = folder
  }

  /// Makes a symbol with its margin, black on white. Blocks the thread.
  ///
  /// - Parameters:
  ///   - bytes: at least one.
  ///   - moduleSize: of the side of a module, in pixels: `moduleSizes`.
  /// - Throws: `BarcodeWriterError`.
  public func write(_ bytes: [UInt8], moduleSize: Int = 4) throws(BarcodeWriterError) -> GrayPicture {
    let modules = try modules(of: bytes)
    let picture = try modules.picture(moduleSize)
    let read: [Barcode]
    do {
      let copy = moduleSize == Self.readableSize ? picture : try modules.picture(Self.readableSize)
      read = try BarcodeReader(.picture, formats: [format], folder: folder).read(copy)
    } catch let error as BarcodeError {
      throw .library(error)
    } catch {
      throw .tooLarge
    }
    guard read.contains(where: { $0.bytes == bytes }) else { throw .unreadable(format) }
    return picture
  }

  private func modules(of bytes: [UInt8]) throws(BarcodeWriterError) -> BarcodeModules {
    let library = try library()
    var modules = BarcodeModules(width: 0, height: 0, isDark: [])
    let result = bytes.withUnsafeBufferPointer { buffer in
      guard let address = buffer.baseAddress, !buffer.isEmpty else { return TESSERA_BARCODE_FAILED }
      var content = tessera_barcode_content(
        format: tessera_barcode_format(format.code), bytes: address, count: buffer.count, margin: format.margin)
      var limits = BarcodeLimits().values
      return withUnsafeMutablePointer(to: &modules) { modules in
        tessera_barcode_write(
          library.pointer, &content, &limits,
          { pixels, width, height, context in
            let isDark = UnsafeBufferPointer(start: pixels, count: Int(width) * Int(height)).map { $0 != 0 }
            context.assumingMemoryBound(to: BarcodeModules.self).pointee =
              BarcodeModules(width: Int(width), height: Int(height), isDark: isDark)
          }, modules)
      }
    }
    switch result {
    case TESSERA_BARCODE_COMPLETE where modules.width > 0: return modules
    case TESSERA_BARCODE_NO_PROCESS: throw .library(.noProcess)
    case TESSERA_BARCODE_TOOK_TOO_LONG: throw .library(.tookTooLong)
    default: throw .tooLong(format, bytes.count)
    }
  }

  private func library() throws(BarcodeWriterError) -> BarcodeLibrary {
    do {
      if let folder { return try .inFolder(folder) }
      return try .system()
    } catch {
      throw .library(error)
    }
  }
}

/// The modules of a symbol and of its margin.
private struct BarcodeModules {
  let width: Int
  let height: Int
  /// Row by row from the top.
  let isDark: [Bool]

  func picture(_ size: Int) throws(BarcodeWriterError) -> GrayPicture {
    let row = width * size
    let picture = try? GrayPicture(width: row, height: height * size) { pixels in
      for index in pixels.indices {
        pixels[index] = isDark[index / row / size * width + index % row / size] ? 0 : 255
      }
    }
    guard let picture else { throw .tooLarge }
    return picture
  }
}

extension Barcode.Format {
  /// The light modules around a symbol that its standard demands, and one more around those of DataMatrix and Aztec,
  /// which demand one or none.
  fileprivate var margin: Int32 {
    switch self {
    case .aztec, .dataMatrix: 2
    case .pdf417: 8
    case .qrCode: 4
    }
  }
}

/// The reason why no symbol can be made.
public enum BarcodeWriterError: Error, Sendable, Equatable {
  /// libzxing is missing, or failed.
  case library(BarcodeError)
  /// No symbol of this kind can have so many bytes.
  case tooLong(Barcode.Format, Int)
  /// libzxing writes these bytes wrongly in a symbol of this kind.
  case unreadable(Barcode.Format)
  /// The picture would have a longer side than `GrayPicture.longestSide`.
  case tooLarge
}

extension BarcodeWriterError: LocalizedFailure {
  /// The error in words, without any content of the barcode.
  public var failure: Failure {
    switch self {
    case .library(let error): error.failure
    case .tooLong(let format, let count):
      Failure(
        .usage, "libzxing makes no \(format.rawValue) symbol of \(count) bytes.",
        remedy: "Use a symbol of another kind.")
    case .unreadable(let format):
      Failure(
        .usage, "The \(format.rawValue) symbol that libzxing makes of these bytes is read otherwise.",
        remedy: "Use a symbol of another kind.")
    case .tooLarge:
      Failure(
        .usage, "The picture of the symbol would be longer than \(GrayPicture.longestSide) pixels.",
        remedy: "Use smaller modules.")
    }
  }
}
