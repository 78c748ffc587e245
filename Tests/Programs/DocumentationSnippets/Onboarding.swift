import RampKit

/// Shows the flow of the server to a user who starts the program for the first time.
@MainActor
func welcome() async -> JSONObject {
  var config = RampKitConfig(appId: "org.example.Desk")
  config.appName = "desk"
  config.manifestBase = "https://flows.example.org"
  await RampKit.configure(config: config)
  guard RampKit.getDeviceInfo().isFirstLaunch else { return [:] }
  RampKit.showOnboarding()
  await RampKit.waitUntilClosed()
  return await RampKit.getAnswers()
}

/// The flow “desk-check” may read documents and make the controller rumble.
func configuration() -> RampKitConfig {
  var config = RampKitConfig()
  config.hardware["desk-check"] = [Grant.Permission(.nfc), Grant.Permission(.haptic)]
  return config
}
