import RampKitFlow
import TesseraJSON
import TestSupport
import Testing

/// The samples of documents.
@Suite struct DocumentTests {
  @Test func theSampleHasThreeScreensFourVariablesAndTwoScripts() throws {
    var problems: [FlowProblem] = []
    let flow = try OnboardingData(try Samples.bytes("rampkit-onboarding"), problems: &problems)
    #expect(problems == [])
    #expect(flow.onboardingId == "ob-demo-3")
    #expect(flow.screens.map(\.id) == ["welcome", "profile", "finish"])
    #expect(flow.variables.filter { $0.initialValue != nil }.map(\.name) == ["userName", "plan", "age", "prefs"])
    #expect(flow.variables.last == OnboardingVariable(name: "unsetYet"))
    #expect(flow.requiredScripts.count == 2)
  }

  @Test func anIdIsNotRequired() throws {
    var problems: [FlowProblem] = []
    let flow = try OnboardingData(try Samples.bytes("rampkit-onboarding-minimal"), problems: &problems)
    #expect(flow.onboardingId == nil)
    #expect(flow.screens.map(\.html) == [""])
    #expect(problems.map(\.severity) == [.warning])
  }

  @Test func translationsAndComponents() throws {
    var problems: [FlowProblem] = []
    let flow = try OnboardingData(try Samples.bytes("rampkit-onboarding-extended"), problems: &problems)
    #expect(flow.screens.first?.translations["de"] == ["p1": "Hallo"])
    #expect(flow.components["card"]?.name == "Card")
    #expect(problems == [])
  }
}
