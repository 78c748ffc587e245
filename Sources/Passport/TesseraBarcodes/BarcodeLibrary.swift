internal import CTesseraBarcodes
import TesseraThreads

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
