import Tessera
import TesseraService

extension BridgeDomain {
  /// The printer of the counter.
  static let printer = BridgeDomain("printer", methods: ["print"], wish: "wants to print a receipt.")
}

/// Prints for pages.
struct PrinterHandler: BridgeHandler {
  let domain = BridgeDomain.printer
  /// Prints a text, and returns the number of pages.
  let print: @Sendable (String) async throws -> Int

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard request.method == "print" else {
      throw BridgeError("METHOD_NOT_FOUND", "This domain has no such method.")
    }
    let pages = try await print(request.parameters.required("text", orElse: "MISSING_TEXT"))
    return ["pages": .integer(Int64(pages))]
  }
}

/// The devices of this system, and the printer.
func routerWithPrinter(_ print: @escaping @Sendable (String) async throws -> Int) -> MessageRouter {
  .withSystemProviders().serving(PrinterHandler(print: print))
}

/// The grants of a page that may scan and print.
func grantsOfCounter() throws -> Grants {
  Grants([try Grant("https://counter.example=nfc.scan,printer", of: BridgeDomain.published + [.printer])])
}
