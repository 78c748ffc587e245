import TesseraSmartCard

// The structures of ISO/IEC 39794-1 that all parts of the standard use.

/// An identifier in the registry of the International Biometrics + Identity Association.
public struct RegistryIdentifier: ISO39794Block {
  public var organization: Int
  public var identifier: Int

  package init(organization: Int, identifier: Int) {
    self.organization = organization
    self.identifier = identifier
  }

  init(_ fields: ContextFields) throws(FileFinding) {
    organization = try fields.required("organization", fields.integer(0, "organization"))
    identifier = try fields.required("id", fields.integer(1, "id"))
  }

  func write(_ writer: inout ContextWriter) {
    writer.integer(0, organization)
    writer.integer(1, identifier)
  }
}

public struct CaptureTime: ISO39794Block {
  /// Year, month, day, hour, minute, second, millisecond; those after the year may be unknown.
  public var year: Int
  public var month: Int?
  public var day: Int?
  public var hour: Int?
  public var minute: Int?
  public var second: Int?
  public var millisecond: Int?

  package init(year: Int, month: Int? = nil, day: Int? = nil) {
    self.year = year
    self.month = month
    self.day = day
  }

  init(_ fields: ContextFields) throws(FileFinding) {
    year = try fields.required("year", fields.integer(0, "year"))
    month = try fields.integer(1, "month")
    day = try fields.integer(2, "day")
    hour = try fields.integer(3, "hour")
    minute = try fields.integer(4, "minute")
    second = try fields.integer(5, "second")
    millisecond = try fields.integer(6, "millisecond")
  }

  func write(_ writer: inout ContextWriter) {
    for (number, value) in [year, month, day, hour, minute, second, millisecond].enumerated() {
      writer.integer(UInt32(number), value)
    }
  }
}

/// A score of 0 to 100, or the reason why there is no score.
public enum ScoreOrError: ISO39794Block {
  case score(Int)
  case error(ExtensibleCode)

  init(_ fields: ContextFields) throws(FileFinding) {
    if let score = try fields.integer(0, "score") {
      self = .score(score)
    } else {
      self = .error(try fields.required("score or error", fields.code(1, "error")))
    }
  }

  func write(_ writer: inout ContextWriter) {
    switch self {
    case .score(let score): writer.integer(0, score)
    case .error(let code): writer.code(1, code)
    }
  }
}

/// The result of an algorithm that assesses the quality, or the probability of a presentation attack.
public struct AssessmentBlock: ISO39794Block {
  public var algorithm: RegistryIdentifier
  public var result: ScoreOrError

  package init(algorithm: RegistryIdentifier, result: ScoreOrError) {
    self.algorithm = algorithm
    self.result = result
  }

  init(_ fields: ContextFields) throws(FileFinding) {
    algorithm = try fields.required("algorithm", fields.block(0, "algorithm"))
    result = try fields.required("score or error", fields.block(1, "score or error"))
  }

  func write(_ writer: inout ContextWriter) {
    writer.block(0, algorithm)
    writer.block(1, result)
  }
}

public struct ExtendedDataBlock: ISO39794Block {
  public var type: RegistryIdentifier
  public var data: [UInt8]

  package init(type: RegistryIdentifier, data: [UInt8]) {
    self.type = type
    self.data = data
  }

  init(_ fields: ContextFields) throws(FileFinding) {
    type = try fields.required("data type", fields.block(0, "data type"))
    data = try fields.required("data", fields.bytes(1, "data"))
  }

  func write(_ writer: inout ContextWriter) {
    writer.block(0, type)
    writer.bytes(1, data)
  }
}

/// Presentation attack detection: whether the sample was captured from a living person.
public struct AttackDetectionBlock: ISO39794Block {
  public var decision: ExtensibleCode?
  public var scores: [AssessmentBlock]?
  public var extendedData: [ExtendedDataBlock]?
  public var captureContext: ExtensibleCode?
  public var supervisionLevel: ExtensibleCode?
  public var riskLevel: Int?
  public var criteriaCategory: ExtensibleCode?
  public var parameter: [UInt8]?
  public var challenges: [[UInt8]]?
  public var captureTime: CaptureTime?

  package init() {}

  init(_ fields: ContextFields) throws(FileFinding) {
    decision = try fields.code(0, "decision")
    scores = try fields.blocks(1, "score blocks")
    extendedData = try fields.blocks(2, "extended data blocks")
    captureContext = try fields.code(3, "capture context")
    supervisionLevel = try fields.code(4, "supervision level")
    riskLevel = try fields.integer(5, "risk level")
    criteriaCategory = try fields.code(6, "criteria category")
    parameter = fields.bytes(7, "parameter")
    challenges = try fields.list(8, "challenges")?.map { Array($0.value) }
    captureTime = try fields.block(9, "capture time")
  }

  func write(_ writer: inout ContextWriter) {
    writer.code(0, decision)
    writer.blocks(1, scores)
    writer.blocks(2, extendedData)
    writer.code(3, captureContext)
    writer.code(4, supervisionLevel)
    writer.integer(5, riskLevel)
    writer.code(6, criteriaCategory)
    writer.bytes(7, parameter)
    writer.constructed(8, challenges?.flatMap { BERTLV.encode(0x04, $0) })
    writer.block(9, captureTime)
  }
}

public struct CaptureDeviceBlock: ISO39794Block {
  public var model: RegistryIdentifier?
  public var certifications: [RegistryIdentifier]?

  package init() {}

  init(_ fields: ContextFields) throws(FileFinding) {
    model = try fields.block(0, "model id")
    certifications = try fields.blocks(1, "certification ids")
  }

  func write(_ writer: inout ContextWriter) {
    writer.block(0, model)
    writer.blocks(1, certifications)
  }
}

/// Yes or no values by the number of their field; values that were not determined are absent.
public struct FlagBlock: ISO39794Block {
  public var flags: [Int: Bool]

  package init(_ flags: [Int: Bool]) { self.flags = flags }

  init(_ fields: ContextFields) throws(FileFinding) {
    flags = [:]
    for number in 0...30 {
      if let flag = try fields.boolean(number, "flag \(number)") { flags[number] = flag }
    }
  }

  func write(_ writer: inout ContextWriter) {
    for (number, flag) in flags.sorted(by: { $0.key < $1.key }) where (0...30).contains(number) {
      writer.boolean(UInt32(number), flag)
    }
  }
}
