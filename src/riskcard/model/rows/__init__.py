"""What a card says of rows: points, reasons, remarks."""
