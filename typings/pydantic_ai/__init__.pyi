from pydantic_ai.messages import ModelMessage as ModelMessage
