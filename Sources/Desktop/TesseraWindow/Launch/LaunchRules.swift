import TesseraBridge
import TesseraCore
import TesseraWebContent

/// What the content of a launch may do, by its address.
struct LaunchRules: ContentRules {
  private let content: LaunchContent

  init(_ content: LaunchContent) { self.content = content }

  func mayNavigate(to address: String) -> Bool {
    switch content {
    case .bundled, .address: mayUseChannels(address)
    case .wallet(let config): ContentPolicy(config).mayNavigate(to: address)
    }
  }

  func mayUseChannels(_ address: String) -> Bool {
    switch content {
    case .bundled(let content): BundledContent.origin(of: address) == content.origin
    case .address(let start, _): WebOrigin(url: address).map { $0 == WebOrigin(url: start) } ?? false
    case .wallet(let config): ContentPolicy(config).mayUseBridge(address)
    }
  }

  func mayAskForCameraAndMicrophone(_ address: String) -> Bool {
    switch content {
    case .bundled: false
    case .address: mayUseChannels(address)
    case .wallet(let config): ContentPolicy(config).mayUseCameraAndMicrophone(address)
    }
  }

  /// The caller of requests from a document of this origin. Content of the program is the program.
  func caller(_ origin: String) -> Caller {
    if case .bundled(let content) = content, origin == content.origin { return .local }
    return .web(origin: origin)
  }
}
