//! The Checkfu API contract as data: OpenAPI document, fixtures and a JSON Schema judge over both.
