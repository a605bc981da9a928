# SPDX-License-Identifier: Apache-2.0
"""pytest-lsp as a client of `hidetc lsp`, with the capabilities of Visual Studio Code: every request that a feature announces
is answered in the protocol's types. tests/nightly/lsp_client.py runs it."""

import os

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = os.path.join(ROOT, "samples", "kernels", "naive_matmul.py")
URI = "file://" + SAMPLE


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[os.environ["HIDETC"], "lsp"]))
async def client(lsp_client: LanguageClient):
    lsp_client.feature("client/registerCapability")(lambda params: None)
    capabilities = client_capabilities("visual-studio-code")
    await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities, root_uri="file://" + os.path.dirname(SAMPLE)))
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_every_request_is_answered(client):
    with open(SAMPLE) as file:
        text = file.read()
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(URI, "python", 1, text)))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert client.diagnostics[URI] == ()
    lines = text.split("\n")
    line = next(i for i, words in enumerate(lines) if words.startswith("def matmul_kernel"))
    document, name = types.TextDocumentIdentifier(URI), types.Position(line, 6)
    whole = types.Range(types.Position(0, 0), types.Position(len(lines), 0))
    assert "matmul_kernel" in (await client.text_document_hover_async(types.HoverParams(document, name))).contents.value
    assert await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert (await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))).data
    assert (await client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(document, whole))).data
    assert await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    options = types.FormattingOptions(4, True)
    assert not await client.text_document_formatting_async(types.DocumentFormattingParams(document, options))
    assert not await client.text_document_range_formatting_async(types.DocumentRangeFormattingParams(document, whole, options))
    assert await client.text_document_selection_range_async(types.SelectionRangeParams(document, [name]))
    context = types.ReferenceContext(True)
    assert await client.text_document_references_async(types.ReferenceParams(context, document, name))
    assert await client.text_document_document_highlight_async(types.DocumentHighlightParams(document, name))
    assert await client.text_document_definition_async(types.DefinitionParams(document, name))
    assert await client.text_document_prepare_rename_async(types.PrepareRenameParams(document, name))
    assert await client.text_document_rename_async(types.RenameParams(document, name, "fresh"))
    listed = await client.text_document_completion_async(types.CompletionParams(document, types.Position(line + 2, 4)))
    assert (await client.completion_item_resolve_async(listed.items[0])).label == listed.items[0].label
    assert await client.text_document_document_link_async(types.DocumentLinkParams(document)) == ()
    assert await client.text_document_code_action_async(types.CodeActionParams(document, whole, types.CodeActionContext([]))) == ()
    assert await client.workspace_symbol_async(types.WorkspaceSymbolParams("matmul_kernel"))
    place = types.Position(next(i for i, words in enumerate(lines) if "matmul_kernel(" in words and i != line), 30)
    await client.text_document_signature_help_async(types.SignatureHelpParams(document, place))
