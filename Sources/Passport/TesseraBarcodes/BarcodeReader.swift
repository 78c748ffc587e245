internal import CTesseraBarcodes
public import TesseraPictures
import TesseraThreads

/// Finds and reads matrix and stacked symbols in pictures.
///
/// DataMatrix and QR symbols may be turned by any angle, PDF417 symbols by three degrees. A module must have 2 pixels
/// or more. libzxing 1.4 (Debian 12) finds an Aztec symbol only if it stands straight in the middle of the picture.
public struct BarcodeReader: Sendable {
  /// How much time a picture may take.
  public enum Effort: Sendable, CaseIterable {
    /// A frame of a camera: another one follows. It is read at its size and at half of it, at no more than 2.3 million
    /// pixels.
    case frame
    /// A picture that stands alone: read at several sizes.
    case picture
    /// The same; and a picture without a seal is turned in steps of 5 degrees for slanting PDF417 symbols, which takes
    /// up to twenty times as long.
    case slantingPicture
  }

  /// The most symbols of a picture.
  public static let mostSymbols = 16
  /// The most bytes of a symbol. No kind of symbol has as many.
  static let mostBytes = 8192

  private let effort: Effort
  private let formats: Set<Barcode.Format>
  /// Where libzxing is; nil for the system's folders.
  private let folder: String?
  private let limits: BarcodeLimits

  /// A reader of these kinds of symbols.
  public init(_ effort: Effort = .picture, formats: Set<Barcode.Format> = Set(Barcode.Format.allCases)) {
    self.init(effort, formats: formats, folder: nil)
  }

  init(
    _ effort: Effort, formats: Set<Barcode.Format> = Set(Barcode.Format.allCases), folder: String?,
    limits: BarcodeLimits = BarcodeLimits()
  ) {
    self.effort = effort
    self.formats = formats
    self.folder = folder
    self.limits = limits
  }

  /// Loads libzxing, so that a missing one is known before a picture is taken.
  ///
  /// - Throws: `BarcodeError.missingLibrary`.
  public static func prepare() throws(BarcodeError) { _ = try BarcodeLibrary.system() }

  /// Reads the symbols of a picture, each content once. The search ends with the first size at which a whole seal is found.
  /// It ends early, too, if the task is cancelled. Blocks the thread.
  ///
  /// - Returns: at most `mostSymbols`; empty if all of the picture was searched and shows none, and for a cancelled task.
  /// - Throws: `BarcodeError`.
  public func read(_ picture: GrayPicture) throws(BarcodeError) -> [Barcode] {
    var search = BarcodeSearch(try library(), effort, formats, limits: limits)
    try search.run(picture)
    return try search.result()
  }

  private func library() throws(BarcodeError) -> BarcodeLibrary {
    if let folder { return try .inFolder(folder) }
    return try .system()
  }
}

/// libzxing, which the first search for symbols loads.
///
/// `@unchecked Sendable`: the library is not changed after it was loaded, is never unloaded, and its functions may be
/// called by any number of threads.
struct BarcodeLibrary: @unchecked Sendable {
  let pointer: OpaquePointer

  private static let loaded = Locked<BarcodeLibrary?>(nil)

  private init?(folder: String?) {
    let found = folder.map { tessera_barcode_library_load($0) } ?? tessera_barcode_library_load(nil)
    guard let found else { return nil }
    pointer = found
  }

  /// Loads the library of the system unless it is loaded. After an error the next call tries again, since the library
  /// can have been installed.
  ///
  /// - Throws: `BarcodeError.missingLibrary`.
  static func system() throws(BarcodeError) -> BarcodeLibrary {
    let library = loaded.withLock { loaded -> BarcodeLibrary? in
      if loaded == nil { loaded = BarcodeLibrary(folder: nil) }
      return loaded
    }
    guard let library else { throw .missingLibrary }
    return library
  }

  /// Loads a library that lies in a folder.
  ///
  /// - Throws: `BarcodeError.missingLibrary`.
  static func inFolder(_ folder: String) throws(BarcodeError) -> BarcodeLibrary {
    guard let library = BarcodeLibrary(folder: folder) else { throw .missingLibrary }
    return library
  }
}
