#if canImport(CTesseraWebKitGTK)
  @MainActor enum Isolation { static func run(_ arguments: [String]) async throws {} }
#endif
