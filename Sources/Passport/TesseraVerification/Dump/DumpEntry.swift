/// A file of a dump.
struct DumpEntry: Sendable, Equatable {
  let name: String
  let bytes: [UInt8]
}
