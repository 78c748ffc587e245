import TesseraFlowDocument
public import TesseraJSON

/// One onboarding flow: its screens, the variables that they share, and the way through them.
///
/// The JSON is tolerant: a missing member has a default, an unknown one is ignored, and a wrong part is left out while
/// the rest is kept. `FlowProblem` says what was left out.
public struct OnboardingData: Sendable, Equatable {
  /// `onboardingId`; nil if the document has none.
  public var onboardingId: String?
  /// In their order in the document. Their ids are unique.
  public var screens: [ScreenPayload] = []
  /// `variables.state`.
  public var variables: [OnboardingVariable] = []
  /// Addresses of scripts that every page loads before its own, each with https.
  public var requiredScripts: [String] = []
  public var navigation: FlowNavigation?
  /// By their keys.
  public var components: [String: FlowComponent] = [:]

  public init() {}
}

/// One screen of a flow, a web page.
public struct ScreenPayload: Sendable, Equatable {
  public var id: String
  public var label: String?
  /// A part of a body, or a whole document.
  public var html: String
  public var css: String?
  public var js: String?
  /// By locale (`de-AT`, `de_AT`) or language (`de`): the texts by `data-ramp-id`.
  public var translations: [String: [String: String]]

  public init(
    id: String, label: String? = nil, html: String, css: String? = nil, js: String? = nil,
    translations: [String: [String: String]] = [:]
  ) {
    self.id = id
    self.label = label
    self.html = html
    self.css = css
    self.js = js
    self.translations = translations
  }
}

/// A variable that the pages of a flow share.
public struct OnboardingVariable: Sendable, Equatable {
  public var name: String
  /// nil if the document has no value or `null`: the variable is then undefined at the start.
  public var initialValue: JSONValue?

  public init(name: String, initialValue: JSONValue? = nil) {
    self.name = name
    self.initialValue = initialValue
  }
}

/// The way through the screens.
public struct FlowNavigation: Sendable, Equatable {
  public struct Position: Sendable, Equatable {
    public var x: Double
    public var y: Double
    /// `main` or `variant`.
    public var row: String

    public init(x: Double, y: Double, row: String) {
      self.x = x
      self.y = y
      self.row = row
    }
  }

  /// The ids of the screens of the main way, in its order.
  public var mainFlow: [String]
  /// By the ids of the screens.
  public var screenPositions: [String: Position]

  public init(mainFlow: [String], screenPositions: [String: Position] = [:]) {
    self.mainFlow = mainFlow
    self.screenPositions = screenPositions
  }
}

/// A piece of HTML that screens use by `<ramp-component>`.
public struct FlowComponent: Sendable, Equatable {
  public var key: String
  public var name: String?
  public var html: String

  public init(key: String, name: String? = nil, html: String) {
    self.key = key
    self.name = name
    self.html = html
  }
}

/// The limits of a flow. A flow beyond them is refused.
public enum FlowLimits {
  /// The bytes of the document.
  public static let documentSize = 8 << 20
  public static let screens = 50
  public static let components = 1_000
  /// The scripts that every page loads.
  public static let scripts = 100
  /// The problems of a document that are told.
  public static let problems = FlowProblem.maximumCount
  /// The variables that are kept, including those that pages add.
  public static let variables = 1_000
  /// The bytes of UTF-8 of all variables together, as JSON.
  public static let variablesSize = 1 << 20
  /// The UTF-16 code units of one message of a page.
  public static let messageLength = 1 << 20
}
